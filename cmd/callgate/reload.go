package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

func reloadCmd(std stdio) *cobra.Command {
	var asJSON bool
	var accept, group string
	cmd := &cobra.Command{
		Use:   "reload [--accept]",
		Short: "Say which live processes have the policy of their files in force, and accept one that waits",
		Long: "Every live callgate reads the files of its policy again when they change, and now, before it is listed. What does not load changes nothing, and what\n" +
			"may allow more waits until it is accepted here: whatever waits, or with a digest only the policy that was listed with it. settings.mode and settings.default only change with a restart.\n" +
			"Without --accept it ends with 1 if the files of a live process do not load, and else with 0: that something waits is no mistake.",
		Args: wants(cobra.NoArgs, "it takes none; --group NAME is about one group only"),
		RunE: func(*cobra.Command, []string) error {
			return reload(std, group, accept, asJSON)
		},
	}
	cmd.Flags().StringVar(&accept, "accept", "", "put the policies that wait into force; with =DIGEST only those of this digest")
	cmd.Flags().Lookup("accept").NoOptDefVal = acceptAny
	cmd.Flags().StringVar(&group, "group", "", "only the processes of one group")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// acceptAny stands for whatever waits.
const acceptAny = "any"

// minDigest is how much of a digest tells policies apart.
const minDigest = 12

// meant says whether a policy that waits is the one that a person means, who may
// have seen another one a moment ago.
func meant(accept string, r *approval.Reload) bool {
	return accept == acceptAny || accept != "" && strings.HasPrefix(strings.TrimPrefix(r.Digest, "sha256:"), strings.TrimPrefix(accept, "sha256:"))
}

func reload(std stdio, group, accept string, asJSON bool) error {
	if n := len(strings.TrimPrefix(accept, "sha256:")); accept != "" && accept != acceptAny && n < minDigest {
		return fmt.Errorf("callgate reload: %q is no digest; want the %d digits that callgate reload prints, or --accept alone", accept, minDigest)
	}
	list, err := processes(group)
	list, lookErr := looked(list)
	err = errors.Join(err, lookErr)
	var text strings.Builder
	var values []abi.Value
	var waits []string // digests
	accepted, meantAny := 0, false
	for _, p := range list {
		r := p.Info.Reload
		said := ""
		if r != nil && r.State == abi.ReloadWaits {
			waits = append(waits, short(r.Digest))
			if meant(accept, r) {
				meantAny = true
				var acceptErr error
				if said, acceptErr = acceptOf(p, r); acceptErr == nil {
					accepted++
				}
				err = errors.Join(err, acceptErr)
			}
		}
		text.WriteString(reloadText(p, said))
		values = append(values, reloadValue(p, said))
	}
	switch {
	case accept == "" || err != nil:
	case len(waits) == 0:
		err = errors.New("no policy waits to be accepted")
	case !meantAny:
		err = errors.New("no policy of that digest waits; the files have changed since, look again with callgate reload")
	}
	out := []byte(text.String())
	if accept == "" {
		out = append(out, howToAccept(group, len(list), waits)...)
	}
	if asJSON {
		out = jsonLine(object("processes", abi.ArrayValue(values...), "waiting", len(waits)-accepted))
	}
	if _, writeErr := std.out.Write(out); writeErr != nil {
		return writeErr
	}
	if err == nil && accept == "" {
		err = broken(list)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// looked has the processes read their files now, all at once, so that what is said of
// them is true of the files as they are. A process that ended meanwhile is left out.
func looked(list []approval.Process) ([]approval.Process, error) {
	errs := make([]error, len(list))
	var group sync.WaitGroup
	for i := range list {
		if list[i].Info.Reload == nil {
			continue
		}
		group.Go(func() { list[i], errs[i] = list[i].Look() })
	}
	group.Wait()
	var live []approval.Process
	for i, p := range list {
		switch {
		case errors.Is(errs[i], approval.ErrEnded):
			errs[i] = nil
			continue
		case errs[i] != nil:
			errs[i] = fmt.Errorf("%s: its files were not read just now, and it says how they stood before: %w", processName(p), errs[i])
		}
		live = append(live, p)
	}
	return live, errors.Join(errs...)
}

// broken says that the files of a live process do not load. What waits, or takes
// a restart, is no mistake.
func broken(list []approval.Process) (err error) {
	for _, p := range list {
		if p.Info.Reload != nil && p.Info.Reload.State == abi.ReloadFailed {
			err = errors.Join(err, fmt.Errorf("%s: the files of its policy do not load; mend them, and they are read again", processName(p)))
		}
	}
	return err
}

// acceptOf accepts what was listed of a process, and nothing that came later.
func acceptOf(p approval.Process, r *approval.Reload) (said string, err error) {
	if err := p.AcceptPolicy(r.Digest); err != nil {
		return "not accepted: " + err.Error(), fmt.Errorf("%s: %w", processName(p), err)
	}
	return "accepted", nil
}

// howToAccept ends the list for people.
func howToAccept(group string, live int, waits []string) string {
	slices.Sort(waits)
	switch same := slices.Compact(slices.Clone(waits)); {
	case live == 0 && group != "":
		return fmt.Sprintf("no callgate run of the group %q is live\n", group)
	case live == 0:
		return "no callgate run is live\n"
	case len(same) == 0:
		return ""
	case len(same) > 1:
		return "accept with callgate reload --accept\n"
	default:
		return "accept with callgate reload --accept\n" +
			"or, whatever the files become meanwhile, this policy alone with callgate reload --accept=" + same[0] + "\n"
	}
}

// reloadText is for people: a line for a process, and one for each reason.
func reloadText(p approval.Process, said string) string {
	var b strings.Builder
	b.WriteString(oneLine(processName(p)) + ": ")
	r := p.Info.Reload
	if r == nil {
		return b.String() + "it reads its policy once, " + short(p.Info.PolicyDigest) + "\n"
	}
	b.WriteString("policy " + short(r.InForce) + " is in force")
	switch r.State {
	case abi.ReloadInForce:
		b.WriteString(", as its files say")
	case abi.ReloadFailed:
		b.WriteString("; its files do not load")
	case abi.ReloadFixed:
		b.WriteString("; its files need a restart")
	case abi.ReloadWaits:
		b.WriteString("; policy " + short(r.Digest) + " may allow more, and waits")
	}
	if said != "" {
		b.WriteString(": " + oneLine(said))
	}
	b.WriteString("\n")
	for _, why := range r.Why {
		b.WriteString("  " + oneLine(why) + "\n")
	}
	for _, what := range r.Restart {
		b.WriteString("  " + oneLine(what) + "\n")
	}
	if len(r.Looser) > 0 {
		b.WriteString("  " + restarted + ":\n")
		for _, what := range r.Looser {
			b.WriteString("    " + oneLine(what) + "\n")
		}
	}
	return b.String()
}

// short is the start of a digest, enough to tell two apart.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return oneLine(digest[:min(12, len(digest))])
}

func reloadValue(p approval.Process, said string) abi.Value {
	var why, restart, looser []abi.Value
	state, digest := "", ""
	if r := p.Info.Reload; r != nil {
		state, digest = string(r.State), r.Digest
		for _, t := range r.Why {
			why = append(why, abi.StringValue(t))
		}
		for _, t := range r.Restart {
			restart = append(restart, abi.StringValue(t))
		}
		for _, t := range r.Looser {
			looser = append(looser, abi.StringValue(t))
		}
	}
	return object("server", p.Info.Server, "group", p.Info.Group, "pid", p.Info.PID, "in_force", p.Info.PolicyDigest, "state", stated(state),
		"files", stated(digest), "why", abi.ArrayValue(why...), "restart", abi.ArrayValue(restart...), "looser", abi.ArrayValue(looser...), "said", stated(said))
}
