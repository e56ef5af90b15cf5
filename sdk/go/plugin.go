package callgate

// Plugin is what an author writes.
type Plugin struct {
	// Configure reads the settings, once; nil: there are none, or Evaluate reads
	// them itself. An error made by [Wrong] says where. What it keeps in variables
	// is there in every evaluation.
	Configure func(settings Value) error
	// Evaluate judges one snapshot; nil is [Abstain]. A panic denies.
	Evaluate func(Snapshot) *Verdict
}

var registered Plugin

// Register makes p the module's plugin. Call it in the declaration of a variable,
// since nothing calls main: var _ = callgate.Register(…).
func Register(p Plugin) struct{} {
	registered = p
	return struct{}{}
}

// settingError is an error about one setting.
type settingError struct{ at, text string }

func (e *settingError) Error() string { return e.at + ": " + e.text }

// Wrong is an error about a setting, for Configure to return.
func Wrong(setting Value, text string) error { return &settingError{setting.Pointer(), text} }

func configured() error {
	if registered.Configure == nil {
		return nil
	}
	return registered.Configure(Snapshot{}.Settings())
}

// configure answers what callgate_configure answers.
func configure() []byte {
	err := configured()
	if err == nil {
		return []byte(`{"ok":true}`)
	}
	w := writer{}
	if s, ok := err.(*settingError); ok {
		w.str("at", s.at)
		w.str("error", s.text)
	} else {
		w.str("error", err.Error())
	}
	return w.end()
}

// evaluate answers what callgate_evaluate answers.
func evaluate() []byte {
	if registered.Evaluate == nil {
		panic("no plugin: call callgate.Register in the declaration of a variable")
	}
	v := registered.Evaluate(Snapshot{})
	if v == nil {
		v = Abstain()
	}
	return v.json()
}

// Log writes a line for the operator. The host keeps 64 KiB and 256 lines of an
// evaluation.
func Log(level uint32, text string) { log(level, text) }

// LogEnabled says whether a level is kept, before a costly line is made.
func LogEnabled(level uint32) bool { return logEnabled(level) }
