package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// members are those of a snapshot, as ABI.md has it.
var members = []string{"abi", "phase", "time", "settings", "call", "definition", "taint", "session", "result", "list"}

// ParseInput reads a snapshot in the form of ABI.md, of which every member may be
// left out, and leaves in it what the plugin reads. It returns the settings beside
// it, which are in it, too.
func ParseInput(data []byte, m *abi.Manifest) (view, settings abi.Value, err error) {
	v, err := abi.Parse(data)
	if err != nil {
		return view, settings, err
	}
	if v.Kind() != abi.Object {
		return view, settings, fmt.Errorf("want a snapshot, an object with %s", strings.Join(members, ", "))
	}
	for _, member := range v.Members() {
		if !slices.Contains(members, member.Name) {
			return view, settings, fmt.Errorf("unknown member %q; want some of %s", member.Name, strings.Join(members, ", "))
		}
	}
	phase := abi.PhaseCall
	if p := v.Get("phase"); p.Exists() {
		phase = abi.Phase(p.Str())
	}
	if !m.Has(phase) {
		return view, settings, fmt.Errorf("phase %q: the plugin is not asked in it; its phases are %q", phase, m.Phases)
	}
	if settings = v.Get("settings"); !settings.Exists() {
		settings = abi.ObjectValue()
	}
	if call := v.Get("call"); call.Kind() == abi.Object && !call.Get("kind").Exists() {
		v = v.With("call", call.With("kind", abi.StringValue(string(abi.KindTool))))
	}
	v = v.With("abi", abi.StringValue(m.Speaks())).With("phase", abi.StringValue(string(phase))).With("settings", settings)
	return m.Project(v), settings, nil
}
