package approval

import "github.com/callgate/callgate/abi"

// Reload says what became of the files of a process's policy since it started.
type Reload struct {
	InForce string          // digest of the policy in force
	State   abi.ReloadState // ReloadInForce: the files are what is in force
	Digest  string          // of the policy that the files are, "" if they are none
	Why     []string        // why that is not in force
	Restart []string        // what is in force, and takes a restart to be so everywhere
	Looser  []string        // what starts of the session let, beyond the policy before them, and nobody was asked about
}

func (r *Reload) value() abi.Value {
	return abi.ObjectValue(text("in_force", r.InForce), text("state", string(r.State)), text("digest", r.Digest), textsOf("why", r.Why), textsOf("restart", r.Restart), textsOf("looser", r.Looser))
}

// textsOf is a member that lists texts.
func textsOf(name string, texts []string) abi.Member {
	items := make([]abi.Value, len(texts))
	for i, t := range texts {
		items[i] = abi.StringValue(t)
	}
	return abi.Member{Name: name, Value: abi.ArrayValue(items...)}
}

func parseReload(v abi.Value) *Reload {
	if !v.Exists() {
		return nil
	}
	r := &Reload{InForce: v.Get("in_force").Str(), State: abi.ReloadState(v.Get("state").Str()), Digest: v.Get("digest").Str()}
	for _, t := range v.Get("why").Items() {
		r.Why = append(r.Why, t.Str())
	}
	for _, t := range v.Get("restart").Items() {
		r.Restart = append(r.Restart, t.Str())
	}
	for _, t := range v.Get("looser").Items() {
		r.Looser = append(r.Looser, t.Str())
	}
	return r
}
