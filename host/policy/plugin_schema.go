package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/callgate/callgate/abi"
)

// What holding settings to a manifest may cost. The schema is a stranger's, and it
// is applied before anything that the sandbox bounds.
const (
	maxSettingsWork = 100_000 // schemas applied and entries of their lists; the largest here takes some hundred
	maxSchemaValues = 20_000  // values and names; reading it compares each schema in it with all others
	maxNumber       = 64      // characters of a number; a float64 needs 24
	maxExponent     = 400     // a float64 has 308; the arithmetic is exact, and 1e999999 has a million digits
	maxSaid         = 300     // bytes of what a schema has said of a setting
)

// checkSettings holds settings to the schema of a manifest.
func checkSettings(m *abi.Manifest, with abi.Value) (string, error) {
	work := &counted{left: maxSettingsWork}
	schema, err := settingsSchema(m, work)
	if err != nil {
		return "/use", fmt.Errorf("the schema of %s's settings can not be read; report it to the plugin's author", m.Name)
	}
	if at := unwieldy(with); at != nil {
		return "/with" + *at, fmt.Errorf("a number of too many digits; want at most %d characters, and an exponent of at most %d", maxNumber, maxExponent)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(with.String()))
	if err != nil {
		return "/with", err
	}
	err, done := work.validate(schema, value)
	if !done {
		return "/use", fmt.Errorf("the schema of %s's settings takes too long to apply; report it to the plugin's author", m.Name)
	}
	var bad *jsonschema.ValidationError
	if errors.As(err, &bad) {
		for len(bad.Causes) > 0 {
			bad = bad.Causes[0]
		}
		at := "/with"
		for _, token := range bad.InstanceLocation {
			at = abi.Join(at, token)
		}
		return at, fmt.Errorf("not a setting that %s takes: %s; see callgate plugin inspect", m.Name, brief(printable(bad.ErrorKind.LocalizedString(english))))
	}
	return "", nil
}

// english is the language of what is said of settings.
var english = message.NewPrinter(language.English)

// noSchemas keeps a plugin's schema from reading anything else.
type noSchemas struct{}

func (noSchemas) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q: a schema of settings stands alone", url)
}

// settingsSchema reads the schema of a manifest. What applying it takes is counted.
func settingsSchema(m *abi.Manifest, work *counted) (*jsonschema.Schema, error) {
	values := 0
	m.Settings.Walk("", func(at string, v abi.Value, key bool) {
		values++
		if strings.HasSuffix(at, "/enum") {
			work.longest = max(work.longest, len(v.Items()))
		}
	})
	if values > maxSchemaValues || unwieldy(m.Settings) != nil {
		return nil, errors.New("too large, or a number of too many digits")
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(m.Settings.String()))
	if err != nil {
		return nil, err
	}
	const url = "callgate:///settings.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noSchemas{})
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "callgate:///work", Compile: work.schema})
	c.AssertVocabs()
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// counted bounds the work of a schema, which can name itself again and again.
type counted struct {
	left    int
	longest int // entries of an enum in the schema
}

type spent struct{}

// schema has a schema charge what it costs before it is applied, in the place of a
// format, which comes before whatever it leads to.
func (c *counted) schema(ctx *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	cost := 1
	for _, v := range obj {
		switch v := v.(type) {
		case []any:
			cost += len(v)
		case map[string]any:
			cost += len(v)
		}
	}
	cost *= 1 + c.longest/16
	of := ctx.Enqueue(nil)
	was := of.Format
	of.Format = &jsonschema.Format{Name: "work", Validate: func(v any) error {
		if c.left -= cost; c.left < 0 {
			panic(spent{})
		}
		if was == nil {
			return nil
		}
		return was.Validate(v)
	}}
	if was != nil {
		of.Format.Name = "format of " + was.Name
	}
	return nil, nil
}

// validate is not done if that is too much work.
func (c *counted) validate(s *jsonschema.Schema, v any) (err error, done bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(spent); !ok {
				panic(p)
			}
			err, done = nil, false
		}
	}()
	return s.Validate(v), true
}

// unwieldy finds a number that exact arithmetic would take long for; nil: none.
func unwieldy(v abi.Value) (found *string) {
	v.Walk("", func(at string, v abi.Value, key bool) {
		if found == nil && !key && v.Kind() == abi.Number && !handy(v.String()) {
			found = &at
		}
	})
	return found
}

func handy(lexeme string) bool {
	if i := strings.IndexAny(lexeme, "eE"); i >= 0 {
		if n, err := strconv.Atoi(lexeme[i+1:]); err != nil || n > maxExponent || n < -maxExponent {
			return false
		}
	}
	return len(lexeme) <= maxNumber
}

// brief cuts a text that quotes what can be a megabyte.
func brief(s string) string {
	if len(s) <= maxSaid {
		return s
	}
	return strings.ToValidUTF8(s[:maxSaid], "") + "…"
}
