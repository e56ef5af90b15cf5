package policy

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
)

// CheckSettings holds settings to what a manifest says of them, as loading a
// policy does. An error says where, from /settings on.
func CheckSettings(m *abi.Manifest, settings abi.Value) error {
	at, err := settingsFit(&plugin{With: settings}, m)
	if err == nil {
		return nil
	}
	if below, ok := strings.CutPrefix(at, "/with"); ok {
		at = "/settings" + below
	} else {
		at = "the manifest" // its schema is what can not be read
	}
	return fmt.Errorf("%s: %w", at, err)
}

// settingsFit holds the settings of an entry to a manifest. It returns where in
// the entry a mistake is.
func settingsFit(p *plugin, m *abi.Manifest) (string, error) {
	with := p.settings()
	if m.Settings.Exists() {
		return checkSettings(m, with)
	}
	if with.Len() > 0 {
		return "/with", fmt.Errorf("%s takes no settings; remove them", m.Name)
	}
	return "", nil
}
