package policy

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/packs"
)

// Options says what to load. The zero value loads the starter policy.
type Options struct {
	// Files are the policy files in the order of the command line: the last one
	// is the highest layer. None: the built-in policy, which "starter" names too.
	Files []string
	// Floor is a policy that is judged beside the others, "" for none.
	Floor string
	// Read reads a file; nil reads at most the accepted size through the os.
	Read func(path string) ([]byte, error)
	// Module reads a module that plugins: names; nil reads at most the accepted size
	// through the os.
	Module func(path string) ([]byte, error)
	// Bundle opens the bundle that an entry of plugins: names, as far as it is pinned
	// and trusted. Nil: such an entry is a mistake.
	Bundle func(Use) (*Opened, error)
	// Allow says why the module of an entry that names no bundle may not be used. Nil:
	// every one may.
	Allow func(module []byte) error
	// Plugin loads the plugin that an entry binds, so that one that can not be
	// loaded is a mistake with a position. Nil: none is tried.
	Plugin func(contract.PluginRef) error
	// Specs are the contracts that will judge: the rules of each entry are tried
	// on them, so that what they refuse is a mistake with a position.
	Specs []contract.Spec
	// Run says that this process wraps one server. Without Group a budget that
	// servers would have to share is a mistake then.
	Run bool
	// Group says that a group was named, so that the processes of a client read
	// each other's counts. It means nothing without Run.
	Group bool
}

// Starter is the name of the built-in policy, under include: and in
// [Policy.Files].
const Starter = "starter"

// StarterFile is what rules call its file.
const StarterFile = "builtin/" + Starter + ".yaml"

//go:embed starter.yaml
var starter []byte

// maxFiles bounds how many files one policy is made of.
const maxFiles = 64

// Load reads, checks and joins a policy. Its error has one line for each
// mistake: file:line:col: path: what; mend.
func Load(o Options) (*Policy, error) {
	l := &loader{read: o.Read, module: o.Module, allow: o.Allow, bundle: o.Bundle, known: map[string]*layer{}}
	if l.module == nil {
		l.module = ReadModule
	}
	if l.read == nil {
		l.read = ReadFile
	}
	p := &Policy{}
	main := o.Files
	if len(main) == 0 {
		main = []string{Starter}
	}
	for _, name := range slices.Backward(main) {
		p.layers = append(p.layers, l.load(name, name == Starter, userRole, nil, includer{})...)
	}
	p.layers = lastOfEach(p.layers)
	if o.Floor != "" {
		l.known = map[string]*layer{}
		p.floor = &Policy{isFloor: true, layers: lastOfEach(l.load(o.Floor, false, floorRole, nil, includer{}))}
	}
	if len(l.errs) == 0 {
		l.bindable(p)
	}
	label(p)
	if len(l.errs) == 0 {
		l.errs = append(l.errs, p.join(o.Run && !o.Group)...)
	}
	if len(l.errs) == 0 {
		l.errs = append(l.errs, p.try(o.Specs)...)
	}
	if len(l.errs) == 0 && o.Plugin != nil {
		l.errs = append(l.errs, p.tryPlugins(o.Plugin)...)
	}
	if len(l.errs) > 0 {
		return nil, join(l.errs)
	}
	p.finish()
	return p, nil
}

// ReadFile reads a file of at most the accepted size, and one byte: what [Options.Read] is by default.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrom(f)
}

// ReadFrom is [ReadFile] for what is open.
func ReadFrom(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxFileBytes+1)) }

type loader struct {
	read   func(string) ([]byte, error)
	module func(string) ([]byte, error) // nil: modules are not read
	bundle func(Use) (*Opened, error)
	allow  func(module []byte) error
	known  map[string]*layer
	files  int
	errs   []error
}

// includer is the entry that names a file; the zero value is the command line.
type includer struct {
	layer *layer
	at    string
}

// fail reports a file that cannot be had, where it is named.
func (l *loader) fail(by includer, name, what string) {
	if by.layer != nil {
		l.errs = append(l.errs, by.layer.errorAt(by.at, "%s", what))
		return
	}
	l.errs = append(l.errs, &Mistake{File: name, Text: what})
}

// load reads a file and what it includes: the file first, then each include
// with its own includes.
func (l *loader) load(name string, builtin bool, as role, from []string, by includer) []*layer {
	id := name
	if !builtin {
		abs, err := filepath.Abs(name)
		if err != nil {
			l.errs = append(l.errs, fmt.Errorf("%s: the working directory is unknown: %w; name the file absolutely", name, err))
			return nil
		}
		id = filepath.ToSlash(abs)
	}
	if i := slices.Index(from, id); i >= 0 {
		l.fail(by, name, "include cycle: "+strings.Join(append(from[i:], id), " → ")+"; remove one include")
		return nil
	}
	first, ok := l.known[id]
	if !ok {
		first = l.one(name, id, builtin, as, by)
		l.known[id] = first
	}
	if first == nil {
		return nil
	}
	list := []*layer{first}
	for i, inc := range first.includes {
		here := includer{first, abi.JoinIndex("/include", i)}
		if inc == Starter {
			list = append(list, l.load(Starter, true, as, append(slices.Clip(from), id), here)...)
			continue
		}
		next := filepath.FromSlash(inc)
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(name), next)
		}
		list = append(list, l.load(next, false, as, append(slices.Clip(from), id), here)...)
	}
	return list
}

// one reads one file. It returns nil after a mistake.
func (l *loader) one(name, id string, builtin bool, as role, by includer) *layer {
	if l.files++; l.files > maxFiles {
		if l.files == maxFiles+1 {
			l.fail(by, name, fmt.Sprintf("more than %d files; join some of them", maxFiles))
		}
		return nil
	}
	data, dir, err := starter, "", error(nil)
	if !builtin {
		data, err = l.read(name)
		dir = path.Dir(id)
	}
	if err != nil {
		what := plainPathError(err).Error()
		if by.layer != nil {
			what = name + ": " + what
		}
		if Closest(strings.TrimSuffix(path.Base(filepath.ToSlash(name)), ".yaml"), []string{Starter}) != "" {
			what += "; did you mean \"" + Starter + "\"? name that, or a readable policy file"
		} else {
			what += "; name a readable policy file"
		}
		l.fail(by, name, what)
		return nil
	}
	y, errs := readLayer(name, dir, data, as)
	l.errs = append(l.errs, errs...)
	if y != nil {
		y.path, y.named, y.builtin = id, name, builtin
		if l.module != nil {
			l.modules(y)
		}
	}
	return y
}

// plainPathError drops the path from an error of the os, which is said already.
func plainPathError(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// readLayer turns the bytes of a file into a layer, or into mistakes.
func readLayer(name, dir string, data []byte, as role) (*layer, []error) {
	c := converter{places: map[string]place{}, dir: dir}
	root := parse(data, &c.issues)
	if root == nil {
		return nil, c.errorsOf(name, c.places)
	}
	y, errs := layerOf(root, c, name, as)
	if y != nil {
		y.digest = abi.DigestBytes(data)
		if bytes.Contains(data, []byte(ignoreMark)) {
			y.ignores = ignoresOf(data)
		}
	}
	return y, errs
}

// lastOfEach keeps the lowest place of a layer that was reached more than once,
// so that a common base stays below what builds on it.
func lastOfEach(layers []*layer) []*layer {
	var list []*layer
	for i, y := range layers {
		if !slices.Contains(layers[i+1:], y) {
			list = append(list, y)
		}
	}
	return list
}

// bindable adds the packs that may bind.
func (l *loader) bindable(p *Policy) {
	choice := p.packChoice()
	names := packs.Names()
	for _, y := range p.layers {
		if y.doc.Packs != nil && y.doc.Packs.Of != nil {
			for i, name := range *y.doc.Packs.Of {
				if name != "auto" && !slices.Contains(names, name) {
					l.errs = append(l.errs, y.errorAt(abi.JoinIndex("/packs", i), "unknown pack %q%s", name, accepted(name, names)))
				}
			}
		}
		for _, server := range sortedKeys(y.doc.Servers) {
			pack, at := y.doc.Servers[server].Pack, abi.Join("/servers", server)+"/pack"
			switch {
			case pack == nil:
			case !slices.Contains(names, *pack):
				l.errs = append(l.errs, y.errorAt(at, "unknown pack %q%s", *pack, accepted(*pack, names)))
			case packs.ForAll(*pack):
				l.errs = append(l.errs, y.errorAt(at, "pack %q is about every server; write packs: [auto, %s]", *pack, *pack))
			case !choice(*pack):
				l.errs = append(l.errs, y.errorAt(at, "pack %q may not bind; add it to the list under packs:", *pack))
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !choice(name) })
	l.readPacks(p, names)
}

// readPacks adds packs in the form that they were compiled to: every process
// does so before it starts its server.
func (l *loader) readPacks(p *Policy, names []string) {
	for _, name := range names {
		data, _ := packs.Compiled(name)
		l.usePack(p, name, data)
	}
}

func (l *loader) usePack(p *Policy, name string, compiled []byte) {
	y, err := compiledPack(compiled)
	if err != nil || y.pack != name {
		l.errs = append(l.errs, &Mistake{File: packFile(name), Text: "not compiled into this build; run go generate ./... and build it again"})
		return
	}
	p.packs = append(p.packs, y)
}
