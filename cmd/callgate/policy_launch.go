package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/proxy"
)

// launch is a server as a client starts it.
type launch struct {
	name    string
	command []string
	dir     string
	env     []string
	why     string // it can not be started, "" if it can
}

// launchesOf reads the servers of one configuration. Their commands are those of
// the servers themselves, also where callgate stands in front of one.
func launchesOf(c clients.Found, data []byte, dir string) ([]launch, error) {
	entries, err := c.List(data)
	if err != nil {
		return nil, err
	}
	tree := generic(c.Kind, data)
	// What a client keeps for one project counts before what it has for all.
	slices.SortStableFunc(entries, func(a, b clients.Entry) int {
		switch {
		case a.Scope != "" && b.Scope == "":
			return -1
		case a.Scope == "" && b.Scope != "":
			return 1
		}
		return 0
	})
	var out []launch
	for _, e := range entries {
		if e.Scope != "" && e.Scope != dir {
			continue // of another project
		}
		l := launch{name: e.Name, dir: dir}
		switch {
		case len(e.Command) == 0:
			l.why = "it has no command to start"
			if e.Why != "" {
				l.why = e.Why
			}
		default:
			l.why = l.complete(e.Command, settingsOf(tree, c.Servers, e), dir)
		}
		out = append(out, l)
	}
	return out, nil
}

// complete fills in the variables of an entry, and says what keeps it from being
// started.
func (l *launch) complete(command []string, settings map[string]any, dir string) string {
	x := expander{dir: dir}
	for _, word := range command {
		l.command = append(l.command, x.expand(word))
	}
	if cwd, ok := settings["cwd"].(string); ok && cwd != "" {
		l.dir = x.expand(cwd)
	}
	l.env = proxy.Environment(os.Environ(), nil, false)
	env, _ := settings["env"].(map[string]any)
	for _, name := range sortedKeys(env) {
		switch v := env[name].(type) {
		case string:
			l.env = append(l.env, name+"="+x.expand(v))
		case int, int64, float64, bool:
			l.env = append(l.env, fmt.Sprintf("%s=%v", name, v))
		}
	}
	if x.unknown != "" {
		return fmt.Sprintf("its entry uses %q, which only its client can fill in", x.unknown)
	}
	return ""
}

// expander fills in variables as clients write them.
type expander struct {
	dir     string
	unknown string // the first that is not known
}

// variable matches ${NAME}, ${env:NAME} and ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

func (x *expander) expand(s string) string {
	return variable.ReplaceAllStringFunc(s, func(whole string) string {
		name, otherwise, hasDefault := strings.Cut(whole[2:len(whole)-1], ":-")
		name = strings.TrimPrefix(name, "env:")
		switch name {
		case "workspaceFolder", "workspaceRoot", "cwd":
			return x.dir
		case "userHome":
			name = "HOME"
		}
		if value, ok := os.LookupEnv(name); ok {
			return value
		}
		if !hasDefault && x.unknown == "" {
			x.unknown = whole
		}
		return otherwise
	})
}

// generic reads a configuration for its env and cwd. Which servers there are,
// and what they are started with, is decided where it is read strictly.
func generic(kind clients.Kind, data []byte) (tree map[string]any) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var err error
	switch kind {
	case clients.JSON:
		var root hujson.Value
		if root, err = hujson.Parse(append(data[:len(data):len(data)], '\n')); err == nil {
			tree, _ = plainTree(root).(map[string]any)
		}
	case clients.TOML:
		err = toml.Unmarshal(data, &tree)
	case clients.YAML:
		err = yaml.Unmarshal(data, &tree)
	default:
		err = errors.New("no servers")
	}
	if err != nil {
		return nil
	}
	return tree
}

// plainTree is a JSON value without its comments. A number is kept as it is
// written: it becomes the text of a variable.
func plainTree(v hujson.Value) any {
	switch v := v.Value.(type) {
	case *hujson.Object:
		out := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			if name, ok := m.Name.Value.(hujson.Literal); ok {
				out[name.String()] = plainTree(m.Value)
			}
		}
		return out
	case hujson.Literal:
		switch v.Kind() {
		case '"', '0':
			return v.String()
		case 't', 'f':
			return v.Bool()
		}
	}
	return nil
}

// settingsOf finds the entry of a server below the places of a layout: among
// those of its project where it has one. An older Zed has env beside the path of
// the command.
func settingsOf(tree map[string]any, places [][]string, e clients.Entry) map[string]any {
	for _, place := range places {
		found := below(tree, place, e)
		if found == nil {
			continue
		}
		if inner, ok := found["command"].(map[string]any); ok {
			return inner
		}
		return found
	}
	return nil
}

func below(node any, place []string, e clients.Entry) map[string]any {
	switch n := node.(type) {
	case map[string]any:
		switch {
		case len(place) == 0:
			found, _ := n[e.Name].(map[string]any)
			return found
		case place[0] == "*":
			return below(n[e.Scope], place[1:], clients.Entry{Name: e.Name})
		case e.Scope != "" && !slices.Contains(place, "*"):
			return nil
		}
		return below(n[place[0]], place[1:], e)
	case []any:
		for _, item := range n {
			if m, ok := item.(map[string]any); ok && len(place) == 0 && m["name"] == e.Name {
				return m
			}
		}
	}
	return nil
}
