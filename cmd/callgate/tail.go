package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

func tailCmd(std stdio) *cobra.Command {
	var dir string
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tail [FILE|DIR]...",
		Short: "Show the last events, newest last",
		RunE: func(_ *cobra.Command, args []string) error {
			if n < 1 {
				return fmt.Errorf("-n %d: want a number above 0", n)
			}
			if len(args) == 0 {
				dirs, err := groupDirs(dir)
				if err != nil {
					return err
				}
				args = dirs
			} else if dir != "" {
				return errors.New("--ledger beside FILE or DIR: name one of them")
			}
			files, err := ledgerFiles(args)
			if err != nil {
				return err
			}
			if len(files) == 0 {
				return noLedger(args)
			}
			return tailFiles(std.out, files, n, asJSON)
		},
	}
	ledgerDir(cmd, &dir)
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "how many events")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as the ledger has them")
	return cmd
}

// tailed is one of the last lines.
type tailed struct {
	line  []byte
	event abi.Event
}

// tailFiles shows the last n events of files that are given oldest first.
func tailFiles(out io.Writer, files []ledger.File, n int, asJSON bool) error {
	var all []tailed
	for _, f := range slices.Backward(files) {
		if len(all) >= n && f.Modified.Before(all[0].event.Time.Add(-time.Second)) {
			break // a file is not older than its last event
		}
		lines, err := lastLines(f.Path, n)
		if err != nil {
			return err
		}
		text := textOf(f.Path)
		defer text.Close()
		for _, line := range lines {
			e, err := wholeEvent(line, text)
			if err != nil {
				return fmt.Errorf("%s: %w; callgate ledger verify says where it is broken", f.Path, err)
			}
			all = append(all, tailed{line, e})
		}
		slices.SortStableFunc(all, func(a, b tailed) int { return a.event.Time.Compare(b.event.Time) })
		all = all[max(0, len(all)-n):]
	}
	var b []byte
	for _, t := range all {
		if asJSON {
			b = append(append(b, safeJSON(t.line)...), '\n')
			continue
		}
		b = append(b, eventLine(t.event)+"\n"...)
	}
	_, err := out.Write(b)
	return err
}

// tailChunk is how much is read at once, backwards.
const tailChunk = 64 << 10

// lastLines returns the last n complete lines of a file without reading the
// rest of it.
func lastLines(path string, n int) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	// Chunks are joined once: a long line must not be copied for each of them.
	var chunks [][]byte
	feeds := 0
	for at := end; at > 0 && feeds <= n; {
		size := min(tailChunk, at)
		at -= size
		chunk := make([]byte, size)
		if _, err := f.ReadAt(chunk, at); err != nil {
			return nil, fmt.Errorf("%s: read at byte %d: %w", path, at, err)
		}
		feeds += bytes.Count(chunk, []byte("\n"))
		chunks = append(chunks, chunk)
	}
	slices.Reverse(chunks)
	lines := bytes.Split(bytes.Join(chunks, nil), []byte("\n"))
	lines = lines[:len(lines)-1] // torn, or empty
	return lines[max(0, len(lines)-n):], nil
}

// eventLine is one event for people, on one line.
func eventLine(e abi.Event) string {
	at := "-"
	if !e.Time.IsZero() {
		at = e.Time.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return oneLine(strings.TrimRight(fmt.Sprintf("%s %4d %s", at, e.Seq, eventText(e)), " "))
}

func eventText(e abi.Event) string {
	const most = 160
	switch {
	case e.Session != nil:
		return fmt.Sprintf("session   %s server %q", e.Session.ID, e.Session.Server)
	case e.Policy != nil:
		return strings.TrimSpace("policy    " + e.Policy.Digest + " " + policyText(e.Policy.Policy))
	case e.Tools != nil:
		return toolsText(e.Tools)
	case e.Call != nil:
		values, _ := e.Call.Values()
		return fmt.Sprintf("call      %s %s%s/%s %s", e.Call.ID, kindText(e.Call.Kind), e.Call.Server, e.Call.Target(), shorten(textOr(values, e.Text), most))
	case e.Result != nil:
		if e.Result.Error.Exists() {
			return fmt.Sprintf("result    %s error %s", e.Result.Call, shorten(e.Result.Error.String(), most))
		}
		return fmt.Sprintf("result    %s %s", e.Result.Call, shorten(textOr(e.Result.Value, e.Text), most))
	case e.Verdict != nil:
		v := e.Verdict
		text := fmt.Sprintf("verdict   %s %s %s", v.ID, outcomeText(v), shorten(v.Reason, most))
		return strings.TrimRight(text, " ") + heardText(v)
	case e.Ask != nil:
		if e.Ask.OfServer() {
			return fmt.Sprintf("ask       %s about the server %q", e.Ask.Call, e.Ask.Server)
		}
		return fmt.Sprintf("ask       %s %s%s/%s, %s", e.Ask.Call, kindText(e.Ask.Kind), e.Ask.Server, e.Ask.Tool, plural.Of(len(e.Ask.Items), "question"))
	case e.Refused != nil:
		return refusedText(e)
	case e.Frame != nil:
		return fmt.Sprintf("frame     %q %q %s", e.Frame.Server, e.Frame.Method, shorten(textOr(e.Frame.Frame, e.Text), most))
	}
	return rareText(e)
}

// kindText is what stands before a call of another kind than tool.
func kindText(kind abi.CallKind) string {
	if kind.IsTool() {
		return ""
	}
	return kind.Noun() + " "
}

func refusedText(e abi.Event) string {
	r, frame := e.Refused, ""
	if e.Text != nil {
		frame = goneText(e.Text)
	} else {
		frame = fmt.Sprintf("%q", shorten(string(r.Bytes), 160))
	}
	return fmt.Sprintf("refused   from the %s: %s %s %s", r.From, r.Code, r.Reason, frame)
}

func toolsText(t *abi.ToolsEvent) string {
	switch t.Source {
	case abi.ToolsStored:
		return fmt.Sprintf("tools     %q has %s from before", t.Server, plural.Of(len(t.List), "pin"))
	case abi.ToolsAccepted:
		return fmt.Sprintf("tools     %q: a person accepted %s", t.Server, plural.Of(len(t.List), "pin"))
	}
	return fmt.Sprintf("tools     %q lists %d", t.Server, len(t.List))
}

// editText says where something was changed, and in what.
func editText(e *abi.EditEvent) string {
	of := "the call"
	if e.Of != "" {
		of = "the " + e.Of
	}
	at := make([]string, 0, 4)
	for i, edit := range e.Edits {
		if i == 4 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprintf("%q", shorten(edit.At, 80)))
	}
	return fmt.Sprintf("edit      %s, %s: %s", e.Call, of, strings.Join(at, ", "))
}

// rareText is eventText for what is seen seldom.
func rareText(e abi.Event) string {
	switch {
	case e.Server != nil:
		return fmt.Sprintf("server    %q says it is %s", e.Server.Server, shorten(abi.Identity(e.Server.Result).String(), 160))
	case e.User != nil:
		if e.Text != nil {
			return "user      " + goneText(e.Text)
		}
		return fmt.Sprintf("user      %q", shorten(e.User.Text, 160))
	case e.Facts != nil:
		return "facts     " + e.Facts.Facts.String()
	case e.Approval != nil:
		return fmt.Sprintf("approval  %s %s, by %s", e.Approval.Call, yesNo(e.Approval.Yes), e.Approval.By)
	case e.Lapsed != nil:
		return fmt.Sprintf("lapsed    %s, %s", e.Lapsed.Call, lapsedText(e.Lapsed))
	case e.Read != nil:
		return fmt.Sprintf("read      %s of %s", plural.Of(e.Read.Lines, "line"), e.Read.File)
	case e.Edit != nil:
		return editText(e.Edit)
	case e.Receipt != nil:
		return fmt.Sprintf("receipt   %s showed %q", e.Receipt.Call, e.Receipt.Shown)
	case e.Label != nil:
		return labelText(e.Label)
	case e.Evicted != nil:
		return "evicted   the text of segment " + e.Evicted.Segment
	case e.Reload != nil:
		return fmt.Sprintf("reload    %s: %s", e.Reload.State, strings.Join(e.Reload.Why, "; "))
	case e.Closed != nil:
		return fmt.Sprintf("closed    exit %d, %s", e.Closed.Exit, e.Closed.Reason)
	}
	return "time"
}

func lapsedText(l *abi.LapsedEvent) string {
	if l.Cancelled {
		return "the client gave it up"
	}
	return "unanswered"
}

// policyName is the name that a recorded policy gives itself, "" for none.
func policyName(v abi.Value) string {
	p, err := policy.Decode(v)
	if err != nil {
		return ""
	}
	return p.Name()
}

// textOr is a value as text, or that the ledger does not hold it.
func textOr(v abi.Value, ref *abi.Text) string {
	if !v.Exists() && ref != nil {
		return goneText(ref)
	}
	return v.String()
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
