package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/wire"
)

type evalFlags struct {
	policyFlags
	tools   []string
	approve string
	dojo    dojoFlags
}

func evalCmd(std stdio) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [flags] [FILE|DIR|-]",
		Short: "Print what the gate answers to events, one JSON line each",
		Long: "Reads events as JSON Lines: events as a ledger has them, or the short forms {\"call\":{\"server\",\"tool\",\"arguments\"}},\n" +
			"{\"resource\":{\"server\",\"uri\"}}, {\"prompt\":{\"server\",\"name\"}}, {\"complete\":{\"server\",\"ref\",\"argument\"}},\n" +
			"{\"request\":{\"server\",\"method\",\"params\"}}, {\"method\":{\"server\",\"name\",\"params\"}}, {\"result\":…}, {\"tools\":{\"server\",\"list\"}},\n" +
			"{\"server\":{\"server\",\"result\"}}, {\"user\":\"…\"}, {\"time\":\"…\"}, {\"session\":\"new\"}, {\"facts\":{…}},\n" +
			"{\"approval\":\"yes\"}, {\"lapsed\":\"unanswered\"} and {\"raw\":{\"server\",\"from\",\"frame\"}}. Each answer names the input line it\n" +
			"answers as its cause, counted from 0 without blank lines.\n\n" +
			"A ledger, or the directory of a group, is replayed: the recorded answers are compared with the new ones. With --policy\n" +
			"the recorded policy is left out, and the summary says which verdicts would be tighter or looser.\n\n" +
			"With --agentdojo, recorded traces of that benchmark are replayed: how many honest tasks are denied or ask, and how many\n" +
			"attacks are allowed. It counts verdicts, not the benchmark's own score. It fails if a tenth of all honest tasks is denied\n" +
			"without override, or the median task asks more than 3 times.",
		Args: wants(cobra.MaximumNArgs(1), "want one FILE or DIR, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.dojo.dir != "" {
				if len(args) > 0 || len(f.tools) > 0 || f.approve != "none" {
					return errors.New("--agentdojo beside an input, --tools or --approve: the suites hold all of it")
				}
				return dojo(std, f.dojo, f.policyFlags)
			}
			if f.dojo != (dojoFlags{results: "structured"}) {
				return errors.New("--user-context, --results and --json say how --agentdojo DIR is replayed; name it")
			}
			input := "-"
			if len(args) == 1 {
				input = args[0]
			}
			return eval(std, f, input)
		},
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&f.tools, "tools", nil, "SERVER=FILE: a tools/list result that is seen before the first event")
	cmd.Flags().StringVar(&f.dojo.dir, "agentdojo", "", "replay the recorded AgentDojo suites in this directory, and count the verdicts")
	cmd.Flags().BoolVar(&f.dojo.context, "user-context", false, "with --agentdojo: the user's prompt is known to the gate")
	cmd.Flags().StringVar(&f.dojo.results, "results", "structured", "with --agentdojo: structured, or text results alone")
	cmd.Flags().BoolVar(&f.dojo.json, "json", false, "with --agentdojo: print one JSON object")
	cmd.Flags().StringVar(&f.approve, "approve", "none", "none, or all: every ask is followed by a yes")
	return cmd
}

func eval(std stdio, f evalFlags, input string) error {
	if f.approve != "none" && f.approve != "all" {
		return fmt.Errorf("--approve %q: want none or all", f.approve)
	}
	p, err := f.load()
	if err != nil {
		return err
	}
	tools, err := readTools(f.tools)
	if err != nil {
		return err
	}
	here, err := place()
	if err != nil {
		return err
	}
	given, missing := len(f.files) > 0 || f.floor != "", absent{}
	e := &evaluation{
		out: bufio.NewWriter(std.out), err: std.err, absent: missing,
		o: replay.Options{
			Policy: p, Specs: builtin.Table(), Plugin: missing.plugin, Place: here, Keep: given, Tools: tools, Approve: f.approve == "all",
		},
		tally: tally{outcomes: given, off: !given && f.approve == "all"},
	}
	err = e.input(std, input)
	if flushErr := e.out.Flush(); err == nil {
		err = flushErr
	}
	if err != nil {
		return err
	}
	e.tally.summary(std.err)
	if e.tally.gone > 0 {
		missing.list(std.err)
	}
	return e.tally.result()
}

// evaluation is one run of eval.
type evaluation struct {
	out   *bufio.Writer
	err   io.Writer
	o     replay.Options
	tally tally
	absent
}

// input reads standard input, a file, or every ledger file of a directory.
func (e *evaluation) input(std stdio, input string) error {
	if input == "-" {
		return e.stream(source{name: "-", in: std.in})
	}
	info, err := os.Stat(input)
	if err != nil {
		return unread(err, "name a file of events, a ledger (callgate ledger path lists them) or - for standard input")
	}
	if strings.HasSuffix(input, ".pins.jsonl") {
		return fmt.Errorf("%q holds the pins of a server, and no events; callgate tools ls shows them, and callgate ledger path lists the ledgers", input)
	}
	if !info.IsDir() {
		files, err := ledger.Group(filepath.Dir(input))
		if err != nil {
			files = nil // the file is read as it is; what others say of the directory does not matter
		}
		return e.file(source{name: input, path: input, group: files})
	}
	files, err := ledger.Group(input)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%q holds no ledger files; name the directory of a group (callgate ledger path lists them)", input)
	}
	for _, file := range files {
		if err := e.file(source{name: file.Path, path: file.Path, label: filepath.Base(file.Path), group: files}); err != nil {
			return err
		}
	}
	return nil
}

// source is one stream of events.
type source struct {
	name  string // in messages
	path  string // "" for standard input
	label string // shown with each answer, "" for none
	group []ledger.File
	in    io.Reader
}

func (e *evaluation) file(s source) error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.in = f
	return e.stream(s)
}

// isLedger says whether the source is a ledger file, whose last line may be
// torn.
func (s source) isLedger() bool {
	for _, f := range s.group {
		if filepath.Base(f.Path) == filepath.Base(s.path) {
			return true
		}
	}
	return false
}

// streaming is one stream on its way.
type streaming struct {
	source
	e      *evaluation
	player *replay.Player
	c      *comparison
	held   *held
}

// stream feeds the lines of one source to a fresh player.
func (e *evaluation) stream(s source) error {
	o := e.o
	if s.group != nil {
		o.Prior = e.prior(replay.Files(s.group))
		text := textOf(s.path)
		defer text.Close()
		o.Text = e.reading(text, s.path)
	}
	p := replay.New(o)
	c := comparison{tally: &e.tally, source: s.name, player: p, err: e.err}
	feeding := streaming{source: s, e: e, player: p, c: &c}
	in := wire.NewReader(s.in, replay.MaxLine)
	index := uint64(0)
	for line := 1; ; line++ {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", s.name, line, err)
		}
		if l.TooLong {
			return fmt.Errorf("%s:%d: a line of more than %d bytes", s.name, line, replay.MaxLine)
		}
		text := bytes.TrimSpace(l.Bytes)
		if len(text) == 0 {
			continue
		}
		if s.isLedger() && l.Bytes[len(l.Bytes)-1] != '\n' {
			fmt.Fprintf(e.err, "%s:%d: torn, left out\n", oneLine(s.name), line)
			break
		}
		if err := feeding.take(text, line, index); err != nil {
			return err
		}
		index++
	}
	if err := feeding.flush(); err != nil {
		return err
	}
	if index == 0 && !s.isLedger() {
		return fmt.Errorf("%s: no events; want one JSON object a line", s.name)
	}
	c.end()
	return nil
}

// held is an event that waits for what an earlier run answered to it.
type held struct {
	event   abi.Value
	line    int
	index   uint64
	answers []abi.Event
	lines   []int // of the answers
}

// take takes in one line: the answers of an earlier run stand behind the event that
// they answer, and it is fed once they are known.
func (s *streaming) take(text []byte, line int, index uint64) error {
	v, err := abi.ParseEventValue(text)
	if err != nil {
		return errors.Join(s.flush(), s.at(line, errors.New(plainJSON(err)+"; want one JSON object a line")))
	}
	if s.held != nil && replay.IsAnswer(v) {
		_, recorded, err := s.player.Feed(v, index)
		if err != nil {
			return s.at(line, err)
		}
		s.held.answers, s.held.lines = append(s.held.answers, *recorded), append(s.held.lines, line)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.held = &held{event: v, line: line, index: index}
	return nil
}

func (s *streaming) at(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", s.name, line, err)
}

// flush feeds the event that waits.
func (s *streaming) flush() error {
	h := s.held
	if h == nil {
		return nil
	}
	s.held = nil
	s.player.Recall(h.answers)
	answers, recorded, err := s.player.Feed(h.event, h.index)
	if err != nil {
		return s.at(h.line, err)
	}
	if recorded != nil {
		s.c.recorded(*recorded, h.line)
		return nil
	}
	s.c.fed(answers, h.line, h.index)
	for _, a := range answers {
		if err := s.e.print(a, s.label); err != nil {
			return err
		}
	}
	for i := range h.answers {
		s.c.recorded(h.answers[i], h.lines[i])
	}
	return nil
}

// print writes one answer.
func (e *evaluation) print(a abi.Event, label string) error {
	data := a.AppendAnswer(nil)
	if label != "" {
		data = append(append([]byte(`{"file":`), abi.AppendString(nil, label)...), append([]byte(","), data[1:]...)...)
	}
	_, err := e.out.Write(append(safeJSON(data), '\n'))
	return err
}
