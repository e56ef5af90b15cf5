package dev

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/regular"
)

// What is looked at.
const (
	maxSources = 4096    // files
	maxIgnore  = 1 << 16 // bytes of .gitignore
)

// ignoreFile names what is not a source, as git takes it, but for exceptions (!)
// and **.
const ignoreFile = ".gitignore"

// never are directories in which no source of the author's own lies.
var never = []string{".git", ".hg", ".jj", ".svn", "node_modules", "target"}

// scraps are files that editors, this command and the verbs that publish leave.
var scraps = []string{"*~", ".#*", "#*#", ".*.sw?", "4913", ".callgate-*", "*.callgate-before", "*.cgp", "*.minisig"}

// Sources lists the files of a plugin's folder that a build may depend on: all but
// what it makes itself, what editors and tools keep beside, and what .gitignore
// names.
func Sources(dir string) ([]string, error) {
	rules := ignored(dir)
	var list []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if name == dir {
			return err
		}
		if err != nil { // gone meanwhile, or not to be read: no source, and looked for again
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		switch out := rules.match(filepath.ToSlash(rel), d.IsDir()); {
		case out && d.IsDir():
			return fs.SkipDir
		case out || d.IsDir() || d.Type()&^fs.ModeSymlink != 0:
			return nil
		}
		if len(list) == maxSources {
			return fmt.Errorf("%s: more than %d files to watch; name in %s what is no source", dir, maxSources, ignoreFile)
		}
		list = append(list, name)
		return nil
	})
	return list, err
}

// rule is a line of .gitignore.
type rule struct {
	pattern  string
	anchored bool // it is matched with the whole path, else with the last name
	dirs     bool // it is of directories alone
}

type rules []rule

// ignored are the rules of a folder. A file that can not be read has none.
func ignored(dir string) rules {
	var list rules
	for _, name := range never {
		list = append(list, rule{pattern: name, dirs: true})
	}
	for _, pattern := range scraps {
		list = append(list, rule{pattern: pattern})
	}
	list = append(list, rule{pattern: "*.wasm", anchored: true}) // of the folder itself
	if f, err := plugin.ReadFolder(dir); err == nil {
		list = append(list, rule{pattern: f.Name(), anchored: true}) // what go build makes without -o
	}
	text, err := regular.ReadFile(filepath.Join(dir, ignoreFile), maxIgnore)
	if err != nil {
		return list
	}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || line[0] == '#' || line[0] == '!' || strings.Contains(line, "**") {
			continue
		}
		r := rule{pattern: strings.TrimSuffix(line, "/")}
		r.dirs = r.pattern != line
		r.anchored = strings.Contains(r.pattern, "/")
		r.pattern = strings.TrimPrefix(r.pattern, "/")
		list = append(list, r)
	}
	return list
}

func (list rules) match(rel string, dir bool) bool {
	return slices.ContainsFunc(list, func(r rule) bool {
		name := rel
		if !r.anchored {
			name = path.Base(rel)
		}
		ok, err := path.Match(r.pattern, name)
		return ok && err == nil && (dir || !r.dirs)
	})
}
