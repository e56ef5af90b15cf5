// Command release builds the archives of a release, so that whoever builds the same
// commit with the same Go gets the same bytes. It is run by .ci/release in a clone
// of the repository, and serves nobody but those who make or check a release.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// total bounds a release, downloads of modules included.
const total = time.Hour

// product is the name of the binary, and of what it is in: archives, module.
const product = "callgate"

// targets are what a release is built for.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

const usage = `usage: .ci/release [--target OS/ARCH]... VERSION OUT

Builds the archives of VERSION, such as 1.2.3, from the commit that is checked out
and tagged v1.2.3, into the new folder OUT, with SHA256SUMS and a list of modules.
--target builds that one only. RELEASE_KEY names the file of the secret key of
minisign that signs; its password, if it has one, is a line of standard input.
Exit codes: 0 ok, 1 what is there makes no such release, 2 usage or I/O.
`

// refusal is what is wrong with what should be released.
type refusal struct{ error }

func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv("RELEASE_KEY"), os.Stdin, os.Stderr))
}

func run(ctx context.Context, args []string, key string, in io.Reader, say io.Writer) int {
	ctx, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	r, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(say, usage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(say, "release: %v; see .ci/release --help\n", err)
		return 2
	}
	r.key, r.in, r.say = key, in, say
	if err := r.make(ctx); err != nil {
		fmt.Fprintf(say, "release: %v\n", err)
		if errors.As(err, &refusal{}) {
			return 1
		}
		return 2
	}
	return 0
}

func parse(args []string) (*release, error) {
	r := &release{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("target", "", func(s string) error {
		for _, t := range targets {
			if t.String() == s {
				r.targets = append(r.targets, t)
				return nil
			}
		}
		return fmt.Errorf("want one of %v", targets)
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() != 2 {
		return nil, fmt.Errorf("%d arguments; want VERSION and OUT", flags.NArg())
	}
	if len(r.targets) == 0 {
		r.targets = targets
	}
	if err := checkVersion(flags.Arg(0)); err != nil {
		return nil, err
	}
	r.version = flags.Arg(0)
	out, err := filepath.Abs(flags.Arg(1))
	r.out = out
	return r, err
}

// release is one run.
type release struct {
	version string // without v
	targets []target
	out     string // the folder that is made, absolute
	key     string // the file of a secret key; "": nothing is signed
	in      io.Reader
	say     io.Writer

	commit  string
	date    time.Time // of the commit, UTC
	source  string    // a clone of the commit
	env     []string  // of the go command
	goroot  string
	modules []dependency // of all targets, sorted
}

func (r *release) tag() string { return "v" + r.version }

// make does everything into a folder beside OUT, which becomes OUT when all is well.
func (r *release) make(ctx context.Context) error {
	if _, err := os.Lstat(r.out); err == nil {
		return fmt.Errorf("%q is there already; name a folder that is not", r.out)
	}
	root, err := r.check(ctx)
	if err != nil {
		return err
	}
	sign, err := r.signer(root)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "callgate-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	stage, err := os.MkdirTemp(filepath.Dir(r.out), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	if err := r.clone(ctx, root, filepath.Join(work, "source")); err != nil {
		return err
	}
	binaries, err := r.build(ctx, work)
	if err != nil {
		return err
	}
	common, err := r.documents(ctx)
	if err != nil {
		return err
	}
	for i, t := range r.targets {
		if err := r.archive(filepath.Join(stage, r.archiveName(t)), t, binaries[i], common); err != nil {
			return err
		}
	}
	list, err := r.spdx()
	if err == nil {
		err = os.WriteFile(filepath.Join(stage, r.prefix()+".spdx.json"), list, 0o644)
	}
	if err != nil {
		return err
	}
	if err := finish(stage, sign); err != nil {
		return err
	}
	if err := os.Chmod(stage, 0o755); err != nil {
		return err
	}
	if err := os.Rename(stage, r.out); err != nil {
		return err
	}
	return r.report(sign != nil)
}

func (r *release) report(signed bool) error {
	if !signed {
		fmt.Fprintln(r.say, "release: RELEASE_KEY names no key, so nothing is signed; enough to compare with a release, not to publish one")
	}
	if len(r.targets) < len(targets) {
		fmt.Fprintf(r.say, "release: for %v only; not one to publish\n", r.targets)
	}
	list, err := os.ReadDir(r.out)
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	slices.Sort(names)
	fmt.Fprintf(r.say, "%s: commit %s of %s\n  %s\n", r.out, r.commit, r.date.Format(time.RFC3339), strings.Join(names, "\n  "))
	return err
}
