package callgate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/replay"
)

// proofs collects, by id, the outcomes that the cases want and get.
type proofs map[string]map[string]bool

func (p proofs) add(name string, outcomes ...string) {
	for _, id := range caseID.FindAllString(name, -1) {
		if p[id] == nil {
			p[id] = map[string]bool{}
		}
		for _, o := range outcomes {
			p[id][o] = true
		}
	}
}

// TestIncidents runs everything that the page of case ids calls passing. Each
// id must want a call that passes beside one that does not, so that neither a
// gate that denies all nor one that allows all gets through.
func TestIncidents(t *testing.T) {
	proven := proofs{}
	t.Run("cases", func(t *testing.T) { runCases(t, proven) })
	t.Run("mistakes", func(t *testing.T) { runMistakes(t, proven) })
	t.Run("spellings", func(t *testing.T) { runSpellings(t, proven) })
	t.Run("plugins", func(t *testing.T) { readPluginCases(t, proven) })
	t.Run("incidents of plugins", func(t *testing.T) { pluginIncidents(t, proven) })
	t.Run("BEN-007 a large upload", func(t *testing.T) { largeUpload(t, proven) })
	t.Run("SEC-010 the environment", func(t *testing.T) { environment(t, proven) })
	t.Run("PRO-007 two clients with one id", func(t *testing.T) { sameIDs(t, proven) })
	t.Run("PRO-015 a page that was rebound", func(t *testing.T) { rebound(t, proven) })
	page, err := os.ReadFile(casesIndex)
	if err != nil {
		t.Fatal(err)
	}
	passing := 0
	for line := range strings.Lines(string(page)) {
		row := caseRow.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil || row[2] != "passing" {
			continue
		}
		passing++
		wants := proven[row[1]]
		if !wants["allow"] || !wants["deny"] && !wants["ask"] {
			t.Errorf("%s passes, but its cases want only %v", row[1], wants)
		}
	}
	if passing == 0 || len(proven) != passing {
		t.Errorf("%d ids ran, and %s calls %d passing", len(proven), casesIndex, passing)
	}
}

func place() abi.Place { return abi.Place{Dir: "/srv", Home: "/home/me", Platform: "linux"} }

func runCases(t *testing.T, proven proofs) {
	files, err := filepath.Glob(casesDir + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases files: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cases.Load(name, data)
		if err != nil {
			t.Fatal(err)
		}
		p, err := policy.Load(policy.Options{Files: f.Policies, Floor: f.Floor, Specs: builtin.Table()})
		if err != nil {
			t.Fatal(err)
		}
		results := cases.Run(f, replay.Options{Policy: p, Specs: builtin.Table(), Place: place()})
		if len(results) == 0 || len(results) != len(f.Cases) {
			t.Errorf("%s: %d of %d cases ran", name, len(results), len(f.Cases))
		}
		for i, r := range results {
			for _, x := range r.Failures {
				t.Errorf("%s:%d: %s: %s", name, x.Line, r.Name, x.Text)
			}
			for _, step := range f.Cases[i].Steps {
				if step.Want != nil {
					proven.add(r.Name, step.Want.Says())
				}
			}
		}
	}
}

// readPluginCases collects what the cases of plugins want. They are played where
// the modules are built, in ./plugins.
func readPluginCases(t *testing.T, proven proofs) {
	files, err := filepath.Glob(pluginCases)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases files: %v", len(files), err)
	}
	for _, name := range files {
		manifest, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(name)), "plugin.json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := abi.ParseManifest(manifest)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cases.LoadPlugin(name, data, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Cases {
			for _, s := range c.Steps {
				proven.add(c.Name, strings.ReplaceAll(s.Want.Outcome, "abstain", "allow"))
				if len(s.Want.Hide)+len(s.Want.Redact) > 0 {
					proven.add(c.Name, "deny") // of a part
				}
			}
		}
	}
}

// policyCase is a policy as text, beside a twin.
type policyCase struct {
	Name   string   `yaml:"name"`
	Policy string   `yaml:"policy"`
	Error  []string `yaml:"error"`
	Twin   string   `yaml:"twin"`
}

func policyCases(t *testing.T, name string) []policyCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, "policyfiles", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []policyCase `yaml:"cases"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s: no cases", name)
	}
	return file.Cases
}

func loadText(text string) (*policy.Policy, error) {
	read := func(string) ([]byte, error) { return []byte(text), nil }
	return policy.Load(policy.Options{Files: []string{"policy.yaml"}, Read: read, Specs: builtin.Table()})
}

func runMistakes(t *testing.T, proven proofs) {
	for _, c := range policyCases(t, "mistakes.yaml") {
		_, err := loadText(c.Policy)
		if err == nil || len(c.Error) == 0 {
			t.Errorf("%s: loads, or no error is wanted", c.Name)
			continue
		}
		for _, want := range c.Error {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", c.Name, err, want)
			}
		}
		if _, err := loadText(c.Twin); err != nil {
			t.Errorf("%s: the twin does not load: %v", c.Name, err)
		}
		proven.add(c.Name, "deny", "allow")
	}
}

func runSpellings(t *testing.T, proven proofs) {
	for _, c := range policyCases(t, "spellings.yaml") {
		one, err := loadText(c.Policy)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		other, err := loadText(c.Twin)
		if err != nil || c.Policy == c.Twin {
			t.Errorf("%s: the twin is the same text, or does not load: %v", c.Name, err)
			continue
		}
		if one.Digest() != other.Digest() {
			t.Errorf("%s: digests %s and %s", c.Name, one.Digest(), other.Digest())
		}
		for _, p := range []*policy.Policy{one, other} {
			for tool, want := range map[string]string{"read_file": "allow", "write_file": "deny"} {
				if got := judge(t, p, "fs", tool, `{"path":"/srv/work/a"}`); got != want {
					t.Errorf("%s: %s: %s; want %s", c.Name, tool, got, want)
				}
			}
		}
		proven.add(c.Name, "deny", "allow")
	}
}

// judge returns the outcome of one call of a tool that has been listed.
func judge(t *testing.T, p *policy.Policy, server, tool, arguments string) string {
	t.Helper()
	list, err := replay.ToolList(parse(t, `[{"name":"`+tool+`","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	player := replay.New(replay.Options{
		Policy: p, Specs: builtin.Table(), Place: place(), Tools: map[string][]abi.Value{server: list},
	})
	answers, _, err := player.Feed(parse(t, `{"call":{"server":"`+server+`","tool":"`+tool+`","arguments":`+arguments+`}}`), 0)
	if err != nil || len(answers) == 0 || answers[0].Verdict == nil {
		t.Fatalf("%s/%s: no verdict: %v", server, tool, err)
	}
	return answers[0].Verdict.Outcome.String()
}

func parse(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func casesPolicy(t *testing.T, name string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join(casesDir, "policies", name)}, Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// largeUpload is a case whose argument is too large to be written down: two
// megabytes pass where four are allowed, and five do not.
func largeUpload(t *testing.T, proven proofs) {
	p := casesPolicy(t, "benign.yaml")
	for rows, want := range map[int]string{349525: "allow", 800000: "deny"} {
		content := strings.Repeat(`1,2,3\n`, rows)
		if got := judge(t, p, "fs", "write_file", `{"path":"/srv/work/data.csv","content":"`+content+`"}`); got != want {
			t.Errorf("%d rows: %s; want %s", rows, got, want)
		}
		proven.add("BEN-007", want)
	}
}

// environment is a case without a call: which variables a server is given.
func environment(t *testing.T, proven proofs) {
	server := casesPolicy(t, "secrets.yaml").Server("helper")
	all := []string{"PATH=/usr/bin", "HOME=/home/agent", "LLM_API_KEY=x", "DATABASE_URL=y", "HELPER_TOKEN=z"}
	got := proxy.Environment(all, server.Env, server.HasEnv)
	slices.Sort(got)
	if want := []string{"HELPER_TOKEN=z", "HOME=/home/agent", "PATH=/usr/bin"}; !slices.Equal(got, want) {
		t.Errorf("the server gets %q; want %q", got, want)
	}
	proven.add("SEC-010", "deny", "allow")
}
