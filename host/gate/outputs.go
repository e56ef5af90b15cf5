package gate

import (
	"bytes"
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/abi"
)

// nowhere loads no schema: what a definition refers to has to be in it.
type nowhere struct{}

// Load implements [jsonschema.URLLoader].
func (nowhere) Load(string) (any, error) { return nil, errors.New("outside of the definition") }

// outputSchema is the pinned output schema of a tool, nil if it has none that can
// be told.
func (s *State) outputSchema(n *entry) *jsonschema.Schema {
	b := n.binding
	if b.outputRead {
		return b.output
	}
	b.outputRead = true
	of := s.definition(n.call.Server, n.call.Tool).Get("outputSchema")
	if of.Kind() != abi.Object {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(of.Append(nil)))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	const name = "callgate:outputSchema"
	if c.AddResource(name, doc) == nil {
		b.output, _ = c.Compile(name)
	}
	return b.output
}

// fitsSchema denies a result that redaction would take out of its tool's pinned
// output schema: a client that holds results against it would refuse it, and say
// something else of it than we do.
func (s *State) fitsSchema(n *entry, t said, edited abi.Value) abi.Verdict {
	was, is := t.value.Get("structuredContent"), edited.Get("structuredContent")
	if n == nil || n.binding == nil || !n.call.Kind.IsTool() || t.of != "result" || !was.Exists() || was.Equal(is) {
		return abi.Verdict{Outcome: abi.Abstain}
	}
	schema := s.outputSchema(n)
	if schema == nil || !valid(schema, was) || valid(schema, is) {
		return abi.Verdict{Outcome: abi.Abstain}
	}
	v := cannot("REDACT_SCHEMA", "", "the result has to be redacted, and would not fit the tool's output schema any more",
		"ask for something else, or let with: fit the schema")
	v.At = []string{"/result/structuredContent"}
	return v
}

func valid(schema *jsonschema.Schema, v abi.Value) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.Append(nil)))
	return err == nil && schema.Validate(doc) == nil
}
