package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plugin/dev"
	"github.com/callgate/callgate/host/plural"
)

func pluginDevCmd(std stdio) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "dev [FOLDER]",
		Short: "Build and test a plugin's folder again with every change",
		Long: "Builds FOLDER as build does and runs its cases as test does, at once and with every change of a source, until it is\n" +
			"interrupted. A change stops a build that is going on, with all that it started. The command under build.run is shown and\n" +
			"has to be confirmed at the start, and whenever it is another one. Sources are all files but modules in FOLDER itself,\n" +
			"target, node_modules, directories of version control, and what .gitignore names.",
		Args: wants(cobra.MaximumNArgs(1), "name one folder with a "+plugin.ManifestFile),
		RunE: func(cmd *cobra.Command, words []string) error {
			dir := "."
			if len(words) > 0 {
				dir = words[0]
			}
			return pluginDev(cmd.Context(), std, dir, yes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "run the command without asking, also when it is another one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each build")
	return cmd
}

func pluginDev(ctx context.Context, std stdio, dir string, yes, asJSON bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	says := &escaping{to: std.err}
	ask := &lineReader{from: std.in}
	show, broken := devText, error(nil)
	if asJSON {
		show = devJSON
	}
	loop := dev.Loop{
		Dir: dir, Options: sandbox(), Says: says,
		Confirm: func(ctx context.Context, f *plugin.Folder) error {
			showBuild(std, f)
			if yes {
				return nil
			}
			return ask.confirm(ctx, std)
		},
		Done: func(r *dev.Round) {
			broken = errors.Join(broken, says.flush())
			if _, err := std.out.Write(show(r)); err != nil {
				broken = errors.Join(broken, err)
				stop() // nobody reads it
			}
		},
		Note: func(format string, args ...any) {
			fmt.Fprintln(std.err, oneLine("callgate plugin dev: "+fmt.Sprintf(format, args...)))
		},
	}
	if err := loop.Run(ctx); err != nil {
		return unread(err, "name a folder with a "+plugin.ManifestFile)
	}
	return broken
}

// lineReader reads answers, so that waiting for one can end.
type lineReader struct {
	from  io.Reader
	lines chan string // nil: nobody has asked yet
}

// maxAnswers is how many lines are kept that nobody has asked for.
const maxAnswers = 16

func (l *lineReader) start() {
	l.lines = make(chan string, maxAnswers)
	go func() {
		defer close(l.lines)
		r := bufio.NewReaderSize(l.from, 64)
		for long := false; ; {
			line, err := r.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) { // no answer, nor is its end
				long = true
				continue
			}
			if len(line) > 0 {
				answer := string(line)
				if long {
					answer, long = "", false
				}
				select {
				case l.lines <- answer:
				default: // typed long before anything is asked
				}
			}
			if err != nil {
				return
			}
		}
	}()
}

// confirm asks whether the command may be run that was shown. What was typed
// before another command was shown is no answer to it.
func (l *lineReader) confirm(ctx context.Context, std stdio) error {
	if l.lines == nil {
		l.start()
	} else {
		l.drain()
	}
	fmt.Fprint(std.err, "run it? [y/N] ")
	select {
	case <-ctx.Done():
		fmt.Fprintln(std.err)
		return ctx.Err()
	case line, ok := <-l.lines:
		if answer := strings.ToLower(strings.TrimSpace(line)); answer == "y" || answer == "yes" {
			return nil
		}
		if !ok {
			fmt.Fprintln(std.err)
		}
	}
	return errUnconfirmed
}

var errUnconfirmed = errors.New("callgate plugin dev: not confirmed, so nothing was run; answer y, or say --yes")

func (l *lineReader) drain() {
	for {
		select {
		case _, ok := <-l.lines:
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// devText is short: what passes is only counted.
func devText(r *dev.Round) (b []byte) {
	var refused *plugin.RefusedError
	if errors.As(r.Err, &refused) {
		return append(problemsText(refused.Problems.List, refused.Problems.More), "what build.run built can not be a plugin\n"...)
	}
	if r.Module != nil {
		b = fmt.Appendf(b, "%s  %s, %s\n", oneLine(r.Module.Path), nameOfModule(r.Module), plural.Of(len(r.Module.Data), "byte"))
	}
	if r.Err != nil {
		return fmt.Appendf(b, "%s\n", printable(unread(r.Err, "it is watched for").Error()))
	}
	for i := range r.Tried {
		if len(r.Tried[i].Failures) > 0 {
			b = append(b, triedText(&r.Tried[i])...)
		}
	}
	bad := failures(r.Tried)
	return fmt.Appendf(b, "%s, %d passed, %d failed\n", plural.Of(len(r.Tried), "case"), len(r.Tried)-bad, bad)
}

func devJSON(r *dev.Round) []byte {
	var built, why, problems abi.Value
	if m := r.Module; m != nil {
		built = object("file", m.Path, "name", m.Manifest.Name, "version", m.Manifest.Version, "bytes", len(m.Data), "digest", m.File, "module", m.Digest)
	}
	var refused *plugin.RefusedError
	if errors.As(r.Err, &refused) {
		problems = problemsValue(refused.Problems.List)
	}
	if r.Err != nil {
		why = abi.StringValue(r.Err.Error())
	}
	bad := failures(r.Tried)
	return jsonLine(object("built", built, "error", why, "problems", problems, "cases", len(r.Tried), "passed", len(r.Tried)-bad, "failed", bad,
		"results", triedValues(r.Tried)))
}
