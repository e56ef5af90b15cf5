package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

func reloadCmd(std stdio) *cobra.Command {
	var accept, asJSON bool
	var group string
	cmd := &cobra.Command{
		Use:   "reload [--accept]",
		Short: "Say which live processes have the policy of their files in force, and accept one that waits",
		Long: "Every live callgate reads the files of its policy again when they change. What does not load changes nothing, and what\n" +
			"may allow more waits until it is accepted here. settings.mode and settings.default only change with a restart.",
		Args: wants(cobra.NoArgs, "it takes none; --group NAME is about one group only"),
		RunE: func(*cobra.Command, []string) error {
			return reload(std, group, accept, asJSON)
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "put the policies that wait into force")
	cmd.Flags().StringVar(&group, "group", "", "only the processes of one group")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func reload(std stdio, group string, accept, asJSON bool) error {
	list, err := processes(group)
	var text strings.Builder
	var values []abi.Value
	waiting, accepted := 0, 0
	for _, p := range list {
		r := p.Info.Reload
		said := ""
		if r != nil && r.State == abi.ReloadWaits {
			waiting++
			if accept {
				// What is accepted is what was listed here, and nothing that came later.
				said = "accepted"
				if acceptErr := p.AcceptPolicy(r.Digest); acceptErr != nil {
					said = "not accepted: " + acceptErr.Error()
					err = errors.Join(err, fmt.Errorf("%s: %w", processName(p), acceptErr))
				} else {
					accepted++
				}
			}
		}
		text.WriteString(reloadText(p, said))
		values = append(values, reloadValue(p, said))
	}
	if len(list) == 0 {
		text.WriteString("no callgate run is live\n")
	}
	if accept && waiting == 0 && err == nil {
		err = errors.New("no policy waits to be accepted")
	}
	out := []byte(text.String())
	if waiting > 0 && !accept {
		out = append(out, "accept with callgate reload --accept\n"...)
	}
	if asJSON {
		out = jsonLine(object("processes", abi.ArrayValue(values...), "waiting", waiting-accepted))
	}
	if _, writeErr := std.out.Write(out); writeErr != nil {
		return writeErr
	}
	if err != nil {
		return failed(err)
	}
	return nil
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
	return b.String()
}

// short is the start of a digest, enough to tell two apart.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return oneLine(digest[:min(12, len(digest))])
}

func reloadValue(p approval.Process, said string) abi.Value {
	var why, restart []abi.Value
	state, digest := "", ""
	if r := p.Info.Reload; r != nil {
		state, digest = string(r.State), r.Digest
		for _, t := range r.Why {
			why = append(why, abi.StringValue(t))
		}
		for _, t := range r.Restart {
			restart = append(restart, abi.StringValue(t))
		}
	}
	return object("server", p.Info.Server, "group", p.Info.Group, "pid", p.Info.PID, "in_force", p.Info.PolicyDigest, "state", stated(state),
		"files", stated(digest), "why", abi.ArrayValue(why...), "restart", abi.ArrayValue(restart...), "said", stated(said))
}
