package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/callgate/callgate/abi"
)

// unversioned is the version of a build that knows none: without data of a
// repository, and not of a module that has a version.
const unversioned = "devel"

// madeOf says what a build was made from, as the go command recorded it. No
// flag of the linker sets any of it, so that two builds of a commit are the same.
type madeOf struct {
	version string // like 1.2.3; unversioned where nothing says
	commit  string // hexadecimal, the first 12 digits where nothing but a version has them; "" where nothing says
	date    string // of the commit, RFC 3339 in UTC; "" where nothing says
	tree    *bool  // whether files differed from the commit; nil where nothing says
	module  string // path@version, of a build that the go command made from a module it downloaded; or ""
	sum     string // the h1: checksum of that module, or ""
	goes    string // the version of Go
}

// version is what this build calls itself: to servers and clients, and in ledgers.
func version() string { return thisBuild().version }

func thisBuild() madeOf {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return madeOf{version: unversioned, goes: runtime.Version()}
	}
	return madeFrom(info)
}

func madeFrom(info *debug.BuildInfo) madeOf {
	p := madeOf{version: unversioned, goes: cmp.Or(info.GoVersion, runtime.Version())}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.commit = s.Value
		case "vcs.time":
			p.date = s.Value
		case "vcs.modified":
			if modified, err := strconv.ParseBool(s.Value); err == nil {
				p.tree = &modified
			}
		}
	}
	v := info.Main.Version
	if !semver.IsValid(v) { // "(devel)", or none
		return p
	}
	p.version = strings.TrimPrefix(v, "v")
	if p.commit != "" {
		return p
	}
	p.module, p.sum = info.Main.Path+"@"+v, info.Main.Sum
	if rev, err := module.PseudoVersionRev(v); err == nil {
		p.commit = rev
	}
	if at, err := module.PseudoVersionTime(v); err == nil {
		p.date = at.UTC().Format(time.RFC3339)
	}
	return p
}

func (p madeOf) text() string {
	commit, date, tree := cmp.Or(p.commit, "unknown"), cmp.Or(p.date, "unknown"), "unknown"
	switch {
	case p.tree != nil && *p.tree:
		tree = "modified: files differ from the commit"
	case p.tree != nil:
		tree = "clean: every file is the commit's"
	case p.module != "":
		tree = "module " + strings.TrimSpace(p.module+" "+p.sum)
		if p.commit == "" {
			commit, date = "the one that is tagged v"+p.version, "that of the tag's commit"
		}
	default:
		commit = "unknown: built without data of a repository (go run, -buildvcs=false, or files that are in none)"
	}
	return fmt.Sprintf("callgate %s %s/%s\ncommit  %s\ndate    %s\nsource  %s\ngo      %s\n", p.version, runtime.GOOS, runtime.GOARCH, commit, date, tree, p.goes)
}

// value is what is printed as JSON, without what nothing says.
func (p madeOf) value() abi.Value {
	known := func(s string) (v abi.Value) {
		if s != "" {
			v = abi.StringValue(s)
		}
		return v
	}
	var dirty abi.Value
	if p.tree != nil {
		dirty = abi.BoolValue(*p.tree)
	}
	return object("version", p.version, "os", runtime.GOOS, "arch", runtime.GOARCH, "go", p.goes, "commit", known(p.commit), "date", known(p.date), "dirty", dirty, "module", known(p.module), "sum", known(p.sum))
}

func versionCmd(std stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what this build was made from",
		Long:  "Prints the version, the commit and its date, whether files differed from the commit, and the version of Go,\nas the go command recorded them in this binary. What it did not record is unknown, and left out of --json.",
		Args:  wants(cobra.NoArgs, "it takes none"),
		RunE: func(*cobra.Command, []string) error {
			text := []byte(thisBuild().text())
			if asJSON {
				text = jsonLine(thisBuild().value())
			}
			_, err := std.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
