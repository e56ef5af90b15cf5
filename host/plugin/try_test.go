package plugin

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// A stranger's cases can each state other settings. Few of them are kept loaded, and
// which ones changes no answer.
func TestFewSettingsStayLoaded(t *testing.T) {
	m, err := ReadModule("testdata/lax/lax.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const about = `"settings":{"type":"object","properties":{"n":{"type":"integer"}}}`
	if m.Manifest, err = abi.ParseManifest([]byte(strings.TrimSuffix(strings.TrimSpace(m.Manifest.Text), "}") + "," + about + "}")); err != nil {
		t.Fatal(err)
	}
	run := trial{engines: engines(t), module: m, loaded: map[string]*loading{}}
	defer run.close()
	snapshot, err := abi.Parse([]byte(`{"phase":"call","call":{"arguments":{"to":"a@example.org"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for i := range 3 * maxLoaded {
		settings := abi.ObjectValue(abi.Member{Name: "n", Value: abi.IntValue(int64(i % (2 * maxLoaded)))})
		a := run.start(settings)(snapshot)
		answers[string(a.Class)+string(a.Output)]++
		if len(run.loaded) != len(run.order) || len(run.loaded) > maxLoaded {
			t.Fatalf("%d settings are loaded; want at most %d", len(run.loaded), maxLoaded)
		}
	}
	if len(answers) != 1 {
		t.Errorf("%v; want one answer", answers)
	}
	for a := range answers {
		if a == "" || a[0] != '{' {
			t.Errorf("%q; want a verdict", a)
		}
	}
}
