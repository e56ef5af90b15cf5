package policy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
)

// score counts destinations of the recorded tools: labelled and guessed.
type score struct{ found, missed, wrong int }

func (s score) recall() float64    { return float64(s.found) / float64(s.found+s.missed) }
func (s score) precision() float64 { return float64(s.found) / float64(s.found+s.wrong) }

func (s score) String() string {
	return fmt.Sprintf("%d of %d found, %d guessed besides: recall %.2f, precision %.2f", s.found, s.found+s.missed, s.wrong, s.recall(), s.precision())
}

// The least that the guesses have to reach, on each half of the lists.
const (
	leastRecall    = 0.95
	leastPrecision = 0.8
)

// halves are the halves of the recorded lists, dealt out in turn by name.
var halves = []string{"tuning", "scored"}

func TestGuessedDestinationsAreThoseThatPeopleSee(t *testing.T) {
	labels := map[string]map[string][]string{}
	data, err := os.ReadFile("../../testdata/heuristics/labels.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &labels); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../../testdata/tool-lists/*.json")
	if err != nil {
		t.Fatal(err)
	}
	scores, seen := make([]score, len(halves)), 0
	for i, path := range paths {
		server := strings.TrimSuffix(filepath.Base(path), ".json")
		tools, servers := labels[server], &scores[i%len(halves)]
		for _, d := range definitionsIn(t, path) {
			name := d.Get("name").Str()
			seen++
			servers.count(t, server+"/"+name+" ("+halves[i%len(halves)]+")", tools[name], guessed(d))
			delete(tools, name)
		}
		for tool := range maps.Keys(tools) {
			t.Errorf("labels.yaml: %s does not list %s", server, tool)
		}
		delete(labels, server)
	}
	for server := range maps.Keys(labels) {
		t.Errorf("labels.yaml: no list of %s", server)
	}
	if seen == 0 {
		t.Fatal("no tools")
	}
	docs, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		t.Logf("%s: %s", halves[i], s)
		if s.recall() < leastRecall || s.precision() < leastPrecision {
			t.Errorf("%s: %s; want %.2f and %.2f", halves[i], s, leastRecall, leastPrecision)
		}
		if row := fmt.Sprintf("| %s | %d | %d | %d | %.2f | %.2f |", halves[i], s.found+s.missed, s.found, s.wrong, s.recall(), s.precision()); !strings.Contains(string(docs), row) {
			t.Errorf("docs/policy.md has no row %s", row)
		}
	}
}

// count holds what was guessed of a tool against its labels: a guess is right if
// it is a label, or an argument that a labelled one stands in.
func (s *score) count(t *testing.T, tool string, labels, guesses []string) {
	right := map[string]bool{}
	for _, l := range labels {
		i := slices.IndexFunc(guesses, func(g string) bool { return holds(g, l) })
		if i < 0 {
			s.missed++
			t.Logf("missed: %s %s", tool, l)
			continue
		}
		s.found++
		right[guesses[i]] = true
	}
	for _, g := range guesses {
		if !right[g] {
			s.wrong++
			t.Logf("wrong: %s %s", tool, g)
		}
	}
}

// holds says whether an argument is another one or stands around it.
func holds(outer, inner string) bool {
	if !strings.HasPrefix(outer, "/") {
		outer = abi.Join("", outer)
	}
	if !strings.HasPrefix(inner, "/") {
		inner = abi.Join("", inner)
	}
	return strings.HasPrefix(inner+"/", outer+"/")
}

// guessed lists the destinations that the heuristics see in a definition.
func guessed(d abi.Value) []string {
	var list []string
	for _, h := range heuristics(d) {
		if h.tool.Sink != nil {
			list = append(list, h.tool.Sink.Of.To...)
		}
	}
	return set(list)
}

// definitionsIn reads the tools of a recorded list.
func definitionsIn(t *testing.T, path string) []abi.Value {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := abi.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v.Get("tools").Items()
}
