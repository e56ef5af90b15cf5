package abi

// readFacts checks the members of facts that are known.
func readFacts(r *reader) error {
	r.str("home")
	r.str("cwd")
	if links := r.val("links"); links.Exists() && links.Kind() != Object {
		r.fail("links: want paths, and what they lead to")
	}
	if attest := r.val("attest"); attest.Exists() && attest.Kind() != Object {
		r.fail("attest: want servers, and what was measured of them")
	}
	r.strs("protected")
	return r.done("home", "cwd", "links", "attest", "protected")
}

func readReload(r *reader) *ReloadEvent {
	e := &ReloadEvent{State: ReloadState(r.str("state")), Digest: r.str("digest"), Why: r.strs("why")}
	switch e.State {
	case ReloadFailed, ReloadWaits, ReloadFixed, ReloadInForce, ReloadAccepted, ReloadRestarted, ReloadTold:
	default:
		r.fail("state: want failed, waits, fixed, current, accepted, restarted or told")
	}
	return e
}
