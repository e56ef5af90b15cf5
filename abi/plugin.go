package abi

// The names by which host and guest of the plugin ABI find each other. They, the
// schemas, the goldens and ABI.md are held together by a test.
const (
	// MarkerExport is an export of type () -> () that says which ABI a module was
	// built for: this one, or that which [MarkerOf] names. It is read statically, and
	// never called.
	MarkerExport = "callgate_abi_1_0"
	// MarkerPrefix starts the marker of every version.
	MarkerPrefix = "callgate_abi_"
	// EvaluateExport judges the snapshot: () -> i64, the verdict's address and
	// length, see [UnpackRange].
	EvaluateExport = "callgate_evaluate"
	// ConfigureExport reads /settings once: () -> i64, optional.
	ConfigureExport = "callgate_configure"
	// InitializeExport starts a reactor: () -> (), optional, called once.
	InitializeExport = "_initialize"
	// MemoryExport is the guest's one memory.
	MemoryExport = "memory"
	// HostModule is the module that the host functions are imported from.
	HostModule = "callgate_v0"
	// HostGet looks a JSON Pointer up in the snapshot:
	// (path i32, path_len i32, buf i32, limit i32) -> i64, see [PackKind].
	HostGet = "get"
	// HostLog writes to the log: (level i32, ptr i32, len i32) -> ().
	HostLog = "log"
	// HostLogEnabled says whether a level is kept: (level i32) -> i32.
	HostLogEnabled = "log_enabled"
	// WASIModule is the module whose functions a deterministic shim answers.
	WASIModule = "wasi_snapshot_preview1"
	// ManifestSection is the name of the custom section that holds the manifest.
	ManifestSection = "callgate.manifest"
)

// The sizes that the ABI fixes, in bytes, characters or entries.
const (
	MaxVerdictBytes = 262144 // a verdict is written by hand-made code; no honest one has a tenth of it
	MaxReasonRunes  = 1024   // one screen line or ten, for an operator
	MaxTags         = 16     // notes, and no second log
	MaxTagRunes     = 256
	MaxPointers     = 256 // of at, redact and hide each; more than a person looks at
	MaxPointerRunes = 4096
	MaxLabels       = 32 // of call and session each
	MaxHidden       = 1024
	MaxManifest     = 1 << 20
	// MaxFuel is the most that a manifest may ask for, and that what `get` hands
	// out may add up to.
	MaxFuel = 500_000_000
)

// The log levels of [HostLog].
const (
	LogDebug uint32 = iota
	LogInfo
	LogWarn
	LogError
)

// FailureClass says why a plugin gave no verdict. Each class denies, with the
// code that [FailureClass.Code] returns.
type FailureClass string

// The classes. The empty one is no failure.
const (
	FailLoad      FailureClass = "load"        // signature, limits, imports, marker or manifest
	FailConfigure FailureClass = "configure"   // its settings were refused, or that trapped
	FailFuel      FailureClass = "out_of_fuel" // at the same instruction everywhere
	FailDepth     FailureClass = "depth"       // calls nested too deep
	FailTrap      FailureClass = "trap"        // any other trap
	FailExit      FailureClass = "exit"        // proc_exit, whatever the number
	FailLimit     FailureClass = "limit"       // it asked for more than an evaluation may
	FailProtocol  FailureClass = "protocol"    // what it answered is no verdict of its
	FailWatchdog  FailureClass = "watchdog"    // the clock stopped it: not reproducible
	FailHost      FailureClass = "host"        // a defect of Callgate
)

// FailureClasses lists every class.
var FailureClasses = []FailureClass{FailLoad, FailConfigure, FailFuel, FailDepth, FailTrap, FailExit, FailLimit, FailProtocol, FailWatchdog, FailHost}

// Code is the code of the verdict that a class denies with.
func (c FailureClass) Code() string {
	switch c {
	case FailLoad:
		return "PLUGIN_LOAD"
	case FailConfigure:
		return "PLUGIN_CONFIGURE"
	case FailFuel:
		return "PLUGIN_OUT_OF_FUEL"
	case FailDepth:
		return "PLUGIN_DEPTH"
	case FailTrap:
		return "PLUGIN_TRAP"
	case FailExit:
		return "PLUGIN_EXIT"
	case FailLimit:
		return "PLUGIN_LIMIT"
	case FailProtocol:
		return "PLUGIN_PROTOCOL"
	case FailWatchdog:
		return "PLUGIN_WATCHDOG"
	}
	return "PLUGIN_HOST"
}

// PackRange packs the place of bytes in the guest's memory: the address in the
// high half, the length in the low one. 31 bytes at 65,536 are
// 0x0001_0000_0000_001f; 0 is failure.
func PackRange(ptr, length uint32) uint64 { return uint64(ptr)<<32 | uint64(length) }

// UnpackRange takes a packed place apart.
func UnpackRange(r uint64) (ptr, length uint32) { return uint32(r >> 32), uint32(r) }

// PackKind packs what [HostGet] answers: the kind in the high half, the length of
// the value's bytes in the low one. A string of 5 bytes is 0x0000_0004_0000_0005;
// what is absent is 0.
func PackKind(k Kind, length uint32) uint64 { return uint64(k)<<32 | uint64(length) }

// Bytes returns what [HostGet] hands out of a value: of a string its UTF-8, else
// canonical JSON, of a number its lexeme, and nothing of what is absent.
func (v Value) Bytes(dst []byte) []byte {
	if v.kind == String {
		return append(dst, v.text...)
	}
	return v.Append(dst)
}

// PluginReceipt is what the ledger keeps of one evaluation of a plugin. The same
// module, settings and input give the same output and fuel, wherever it runs,
// unless Class is watchdog.
type PluginReceipt struct {
	Module   string // digest of the module without its manifest section
	Bundle   string // digest of the signed bundle it came in, "" for a bare module
	Settings string // digest of the settings
	Input    string // digest of the snapshot it could see
	Output   string // digest of the bytes it answered, "" for a failure without
	Fuel     uint64
	Class    FailureClass
	Detail   string // host words of a failure; never shown to a model
	Reason   string // the plugin's own words, for people only
	Tags     []Tag  // its notes, sorted by name
}

// Tag is one note of a plugin.
type Tag struct{ Name, Text string }

var receiptMembers = []string{"module", "bundle", "settings", "input", "output", "fuel", "class", "detail", "reason", "tags"}

func (p *PluginReceipt) write(w *writer) {
	w.str("module", p.Module)
	w.str("bundle", p.Bundle)
	w.str("settings", p.Settings)
	w.str("input", p.Input)
	w.str("output", p.Output)
	w.num("fuel", int64(p.Fuel))
	w.str("class", string(p.Class))
	w.str("detail", p.Detail)
	w.str("reason", p.Reason)
	each(w, "tags", p.Tags, func(o *writer, t Tag) {
		o.str("name", t.Name)
		o.str("text", t.Text)
	})
}

func readReceipt(r *reader) *PluginReceipt {
	v := r.val("plugin")
	if !v.Exists() {
		return nil
	}
	o := read(r.of+": plugin", v)
	p := &PluginReceipt{
		Module: o.str("module"), Bundle: o.str("bundle"), Settings: o.str("settings"), Input: o.str("input"), Output: o.str("output"),
		Fuel: uint64(o.num("fuel")), Class: FailureClass(o.str("class")), Detail: o.str("detail"), Reason: o.str("reason"),
		Tags: items(&o, "tags", func(t *reader) Tag { return Tag{t.str("name"), t.str("text")} }, "name", "text"),
	}
	if err := o.done(receiptMembers...); err != nil {
		r.fail("%v", err)
	}
	return p
}
