package callgate_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
)

// sample is a fenced block of a document.
type sample struct {
	doc  string
	line int    // of the fence
	info string // behind the fence: yaml, yaml cases, yaml pack, yaml plugin, yaml gateway, json, json plugin, json trust, jsonl, sh, …
	text string
}

// document says whether a file is one that people read samples in.
func document(name string) bool {
	return path.Ext(name) == ".md" && (path.Dir(name) == "." || within(name, "docs"))
}

// samples cuts the fenced blocks out of the documents.
func samples(t tree) (list []sample, found []string) {
	for _, name := range t.names() {
		if !document(name) {
			continue
		}
		var open *sample
		for i, line := range strings.Split(t[name], "\n") {
			info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
			switch {
			case fence && open == nil:
				open = &sample{doc: name, line: i + 1, info: strings.TrimSpace(info)}
			case fence:
				list = append(list, *open)
				open = nil
			case open != nil:
				open.text += line + "\n"
			}
		}
		if open != nil {
			found = append(found, at(name, open.line)+"a fence that is never closed; close it")
		}
	}
	return list, found
}

// manifestFile is what a "json plugin" sample is for the others of its document.
const manifestFile = "plugin.json"

// fileComment is how a sample says which file it is, for others to include.
var fileComment = regexp.MustCompile(`^# (?:\./)?([\w.-]+\.yaml)\b`)

// load reads a sample as what it says it is. The files that it names are the
// samples of the same document.
func (s sample) load(files map[string]string) error {
	switch s.info {
	case "yaml cases":
		f, err := cases.Load(s.doc, []byte(s.text))
		if err == nil && len(f.Cases) == 0 {
			err = errors.New("no case; want one")
		}
		return err
	case "yaml plugin":
		m, err := abi.ParseManifest([]byte(files[manifestFile]))
		if err == nil {
			_, err = cases.LoadPlugin(s.doc, []byte(s.text), m)
		}
		return err
	case "json plugin":
		_, err := abi.ParseManifest([]byte(s.text))
		return err
	case "yaml gateway":
		_, err := policy.LoadGateway("gateway.yaml", func(string) ([]byte, error) { return []byte(s.text), nil })
		return err
	case "yaml bouncer", "yaml visor":
		_, err := s.translated()
		return err
	case "yaml", "yaml pack":
		_, err := policy.Load(policy.Options{
			Files: []string{"sample.yaml"},
			Specs: builtin.Table(), Module: sampleModule, Bundle: sampleBundle,
			Read: func(name string) ([]byte, error) {
				if name == "sample.yaml" {
					return []byte(s.text), nil
				}
				if text, ok := files[path.Base(name)]; ok {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			},
		})
		if err == nil && s.info == "yaml pack" && packTool.MatchString(s.text) {
			err = errors.New("a pack's tools have no server half; name the tool alone")
		}
		return err
	case "json trust":
		_, err := bundle.ParseTrust("trust.json", []byte(s.text))
		return err
	case "json", "jsonl":
		dec := jsontext.NewDecoder(strings.NewReader(s.text))
		for {
			if err := dec.SkipValue(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// sampleModule is the module that samples name: one that declares to judge
// everything, and has no code.
func sampleModule(name string) ([]byte, error) {
	m := `{"schema":"callgate.plugin/v0","name":"sample","version":"1.0.0","abi":"1.0","phases":["call","result","list"],` +
		`"kinds":["tool","resource","prompt","completion","sampling","elicitation","roots","method"],` +
		`"settings":{"type":"object","properties":{"dialect":{"enum":["postgres","mysql"]}},"additionalProperties":false}}`
	if strings.Contains(name, "mailguard") {
		m = strings.ReplaceAll(m, `"dialect":{"enum":["postgres","mysql"]}`, `"domains":{"type":"array"}`)
	}
	return abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(m))
}

// sampleBundle is the bundle that samples name, with the module in it.
func sampleBundle(u policy.Use) (*policy.Opened, error) {
	module, err := sampleModule(u.Text)
	return &policy.Opened{Module: module}, err
}

var packTool = regexp.MustCompile(`(?m)^  [\w*]+/[\w*]+:`)

// dataSamples finds samples that do not load. There must be some.
func dataSamples(t tree) []string {
	list, found := samples(t)
	files := map[string]map[string]string{}
	for _, s := range list {
		if files[s.doc] == nil {
			files[s.doc] = map[string]string{}
		}
		if s.info == "json plugin" {
			files[s.doc][manifestFile] = s.text
		}
		if name := fileComment.FindStringSubmatch(s.text); name != nil {
			files[s.doc][name[1]] = s.text
		}
	}
	known := []string{"yaml", "yaml cases", "yaml pack", "yaml plugin", "yaml gateway", "yaml bouncer", "yaml visor"}
	count := 0
	for _, s := range list {
		kind, _, _ := strings.Cut(s.info, " ")
		if kind == "yml" || kind == "yaml" && !slices.Contains(known, s.info) {
			found = append(found, at(s.doc, s.line)+strconv.Quote(s.info)+": want yaml, yaml cases, yaml pack, yaml plugin, yaml gateway, yaml bouncer or yaml visor, so that it can be loaded")
			continue
		}
		if kind == "yaml" {
			count++
		}
		if err := s.load(files[s.doc]); err != nil {
			found = append(found, at(s.doc, s.line)+"the sample does not load: "+err.Error())
		}
	}
	if count == 0 {
		found = append(found, "no document has a yaml sample; show one")
	}
	return found
}

// pluginSample is a manifest.
const pluginSample = `{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"],"reads":["call.arguments"],"effects":["deny"],"codes":{"NO":"no"}}`

func TestSamplesInDocumentsLoad(t *testing.T) {
	doc := func(blocks ...string) tree {
		return tree{"docs/a.md": "# A\n\n" + strings.Join(blocks, "\nand\n\n")}
	}
	block := func(info, text string) string { return fmt.Sprintf("```%s\n%s\n```\n", info, text) }
	good := block("yaml", "callgate: 1\ntools:\n  mail/send: {verdict: allow}")
	verify(t, dataSamples, []plant{
		{"a policy", doc(good), ""},
		{"an unknown key", doc(block("yaml", "callgate: 1\ntools:\n  mail/send: {verdcit: allow}")), "verdcit"},
		{"an included sample", doc(block("yaml", "# org.yaml\ncallgate: 1"), block("yaml", "callgate: 1\ninclude: [./org.yaml]")), ""},
		{"an included file that is nowhere", doc(block("yaml", "callgate: 1\ninclude: [./org.yaml]")), "org.yaml"},
		{"cases", doc(block("yaml cases", "cases:\n  - name: a\n    steps:\n      - {call: mail/send, args: {}, want: {outcome: deny}}")), ""},
		{"cases that want nothing", doc(block("yaml cases", "cases:\n  - name: a\n    steps:\n      - {call: mail/send, args: {}}")), "can not fail"},
		{"no cases", doc(block("yaml cases", "cases: []")), "no case"},
		{"a pack", doc(block("yaml pack", "callgate: 1\ntools:\n  send: {sink: {to: [to]}}")), ""},
		{"a pack that names a server", doc(block("yaml pack", "callgate: 1\ntools:\n  mail/send: {sink: {to: [to]}}")), "no server half"},
		{"cases of a plugin", doc(good, block("json plugin", pluginSample), block("yaml plugin", "cases:\n  - {name: a, args: {}, want: {outcome: deny, code: NO}}")), ""},
		{"cases of a plugin with a code that it has not", doc(good, block("json plugin", pluginSample), block("yaml plugin", "cases:\n  - {name: a, args: {}, want: {code: ON}}")), "does not declare"},
		{"a manifest without a version", doc(good, block("json plugin", `{"schema":"callgate.plugin/v0","name":"a","abi":"1.0","phases":["call"]}`)), "version"},
		{"a trust file", doc(good, block("json trust", `{"schema":"callgate.trust/v0"}`)), ""},
		{"a trust file of another form", doc(good, block("json trust", `{"schema":"callgate.trust/v0","key":{}}`)), "unknown key"},
		{"a gateway", doc(good, block("yaml gateway", "callgate_gateway: 1\nservers: {a: {command: [cat]}}")), ""},
		{"a gateway that serves nothing", doc(good, block("yaml gateway", "callgate_gateway: 1")), "no servers"},
		{"an unknown kind", doc(good, block("yaml policy", "callgate: 1")), "want yaml, yaml cases"},
		{"JSON", doc(good, block("json", `{"a": 1}`), block("jsonl", "{\"a\": 1}\n{\"a\": 2}")), ""},
		{"JSON with a name twice", doc(good, block("json", `{"a": 1, "a": 2}`)), "duplicate"},
		{"a fence without end", doc(good, "```yaml\ncallgate: 1\n"), "never closed"},
		{"no sample", doc("text"), "no document has a yaml sample"},
		{"a sample elsewhere", tree{"host/a.md": block("yaml", "x"), "README.md": good}, ""},
	})
}
