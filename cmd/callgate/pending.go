package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

func pendingCmd(std stdio) *cobra.Command {
	var asJSON bool
	var group string
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the calls, and requests of servers, that wait for a person's answer",
		Long: "Asks every live callgate of this user what it asks, and shows it in full: each destination with the evidence for\n" +
			"where it came from, what has moved since it was pinned, and all that the call holds. What cannot be seen is written as {U+200B}.",
		Args: wants(cobra.NoArgs, "it takes none; --group NAME lists one group only"),
		RunE: func(*cobra.Command, []string) error {
			return pending(std, group, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&group, "group", "", "list the questions of one group only")
	return cmd
}

// openQuestion is a question and the process that asks it.
type openQuestion struct {
	approval.Question
	process approval.Process
}

// processes lists the live processes of this user, of one group if it is named.
func processes(group string) ([]approval.Process, error) {
	dirs := approval.SocketDirs(os.Getenv)
	if len(dirs) == 0 {
		// Nothing runs, or nothing can run here: the latter says why.
		_, err := approval.SocketDir(os.Getenv)
		return nil, err
	}
	var list []approval.Process
	var errs []error
	for _, dir := range dirs {
		found, err := approval.Processes(dir)
		errs = append(errs, err)
		list = append(list, found...)
	}
	if group != "" {
		list = slices.DeleteFunc(list, func(p approval.Process) bool { return p.Info.Group != group })
	}
	return list, errors.Join(errs...)
}

// questions lists the open questions of processes, oldest first.
func questions(list []approval.Process) ([]openQuestion, error) {
	var open []openQuestion
	var errs []error
	for _, p := range list {
		asked, err := p.Pending()
		if errors.Is(err, approval.ErrEnded) {
			continue // it asks nothing any more
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", processName(p), err))
		}
		for _, q := range asked {
			open = append(open, openQuestion{q, p})
		}
	}
	slices.SortStableFunc(open, func(a, b openQuestion) int { return a.Asked.Compare(b.Asked) })
	return open, errors.Join(errs...)
}

// processName has the group, too: a gateway is one process with a group for each
// client.
func processName(p approval.Process) string {
	return fmt.Sprintf("server %q (process %d, group %s)", p.Info.Server, p.Info.PID, p.Info.Group)
}

func pending(std stdio, group string, asJSON bool) error {
	list, err := processes(group)
	open, askErr := questions(list)
	err = errors.Join(err, askErr)
	if asJSON {
		_, writeErr := std.out.Write(jsonLine(pendingJSON(list, open, err)))
		if writeErr != nil || err == nil {
			return writeErr
		}
		return exitError{2, nil} // the errors are among the output
	}
	if _, err := io.WriteString(std.out, pendingText(len(list), open)); err != nil {
		return err
	}
	return err
}

func pendingText(live int, open []openQuestion) string {
	if len(open) == 0 {
		return fmt.Sprintf("no open questions; live processes: %d\n", live)
	}
	var b strings.Builder
	for i, q := range open {
		if i > 0 {
			b.WriteString("\n")
		}
		prompt := approval.Prompt(q.Question)
		b.WriteString(prompt)
		if strings.Contains(prompt, " {cut: ") { // braces of anybody else are escaped
			b.WriteString("callgate pending --json shows it whole\n")
		}
		id := oneLine(q.ID)
		if q.Ask.Channels != nil && !slices.Contains(q.Ask.Channels, abi.ChannelTerminal) {
			b.WriteString("it can not be answered from a terminal\n")
			continue
		}
		b.WriteString("yes: callgate approve " + id + "\nno:  callgate deny " + id + "\n")
	}
	return b.String()
}

func pendingJSON(list []approval.Process, open []openQuestion, err error) abi.Value {
	asked := make([]abi.Value, len(open))
	for i, q := range open {
		ask := q.Ask
		e, _ := abi.ParseEventValue(abi.Event{Ask: &ask}.Append(nil)) // our own JSON
		asked[i] = object("id", q.ID, "group", q.Group, "policy", q.Policy, "pid", q.process.Info.PID, "asked", q.Asked.UTC().Format(time.RFC3339Nano),
			"held", q.Held, "waiting", q.Waiting, "ask", e.Get("ask"), "arguments", q.Arguments, "prompt", approval.Prompt(q.Question))
	}
	var errs []abi.Value
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			errs = append(errs, object("message", line))
		}
	}
	return object("processes", len(list), "questions", abi.ArrayValue(asked...), "errors", abi.ArrayValue(errs...))
}
