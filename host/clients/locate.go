package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Dirs are the directories that configurations are below; "" for one that is not
// known.
type Dirs struct {
	Platform                     string // as GOOS
	Home, Config, Local, Project string
}

// DirsOf finds the directories as the clients do. Project is the working
// directory, "" for none.
func DirsOf(platform, project string, env func(string) string) Dirs {
	d := Dirs{Platform: platform, Home: env("HOME"), Project: project}
	switch platform {
	case "windows":
		d.Home, d.Config, d.Local = env("USERPROFILE"), env("AppData"), env("LocalAppData")
		if d.Home != "" && d.Config == "" {
			d.Config = filepath.Join(d.Home, "AppData", "Roaming")
		}
		if d.Home != "" && d.Local == "" {
			d.Local = filepath.Join(d.Home, "AppData", "Local")
		}
	case "darwin":
		if d.Home != "" {
			d.Config = filepath.Join(d.Home, "Library", "Application Support")
		}
	default:
		if d.Config = env("XDG_CONFIG_HOME"); !filepath.IsAbs(d.Config) {
			d.Config = ""
			if d.Home != "" {
				d.Config = filepath.Join(d.Home, ".config")
			}
		}
	}
	return d
}

// base is the directory of a base, "" where there is none.
func (d Dirs) base(b Base) string {
	switch b {
	case InHome:
		return d.Home
	case InConfig:
		return d.Config
	case InLocal:
		return d.Local
	}
	return d.Project
}

// Found is a configuration that a client reads.
type Found struct {
	Client string // its name, "" for a file that no client is known to read
	Path   string // absolute
	Group  string // of its servers: one for all that a client starts, whatever file names them
	User   bool   // the user's own, and not one of a project
	Layout
}

// Find lists the configurations that are there, with servers or not, in the order
// of the table. A file that several entries of the table name is there once.
func (d Dirs) Find(table []Client) []Found {
	var out []Found
	seen := map[string]bool{}
	for _, c := range table {
		for _, f := range c.Files {
			if f.Kind == NoServers {
				continue
			}
			for _, p := range d.paths(f) {
				if info, err := os.Stat(p); err != nil || info.IsDir() || seen[p] {
					continue
				}
				seen[p] = true
				out = append(out, Found{c.Name, p, c.Name, f.Base != InProject, f.Layout})
			}
		}
	}
	return out
}

// GroupOf is the group of the servers of a file that no client is known to read:
// a name, and 12 hex digits of the SHA-256 of its absolute path.
func GroupOf(name, place string) string {
	sum := sha256.Sum256([]byte(place))
	return name + "-" + hex.EncodeToString(sum[:6])
}

// Looked lists where a client's files are looked for, for a message.
func (d Dirs) Looked(c Client) []string {
	var out []string
	for _, f := range c.Files {
		if base := d.base(f.Base); f.Kind != NoServers && base != "" && f.on(d.Platform) {
			out = append(out, filepath.Join(base, filepath.FromSlash(f.Path)))
		}
	}
	return out
}

// Protected lists the user's own configurations of all clients, whether they are
// there or not: what says which servers a client starts. Where any file of a
// directory is read, it is the directory. Those that a project carries are not
// among them: a policy says what may be written in a project.
func (d Dirs) Protected(table []Client) []string {
	var out []string
	for _, c := range table {
		for _, f := range c.Files {
			base := d.base(f.Base)
			if f.Base == InProject || base == "" || !f.on(d.Platform) {
				continue
			}
			if dir, name := path.Split(f.Path); strings.Contains(name, "*") && !strings.Contains(dir, "*") {
				out = append(out, filepath.Join(base, filepath.FromSlash(dir)))
				continue
			}
			out = append(out, d.paths(f)...)
		}
	}
	return out
}

func (f File) on(platform string) bool { return f.Platform == "" || f.Platform == platform }

// paths are the absolute paths that a file of the table stands for: where it has
// wildcards, those that are there.
func (d Dirs) paths(f File) []string {
	base := d.base(f.Base)
	if base == "" || !f.on(d.Platform) {
		return nil
	}
	dirs := []string{base}
	for _, name := range strings.Split(f.Path, "/") {
		var next []string
		for _, dir := range dirs {
			if !strings.Contains(name, "*") {
				next = append(next, filepath.Join(dir, name))
				continue
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				continue // it is not there
			}
			for _, e := range entries {
				if ok, err := path.Match(name, e.Name()); ok && err == nil {
					next = append(next, filepath.Join(dir, e.Name()))
				}
			}
		}
		dirs = next
	}
	return dirs
}
