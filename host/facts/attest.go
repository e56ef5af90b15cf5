package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// attestForm begins what is digested, so that the digest means nothing else.
const attestForm = "callgate attest 1\n"

// maxHead is how much of a script is read for its first line: no system reads more.
const maxHead = 512

// maxMeasured bounds the files that are read before a server is started.
const maxMeasured = 4 << 30

// maxInterpreters bounds how many programs a script's first line may lead to.
const maxInterpreters = 4

// Launch is a command as it was measured before it is started. Close it once it
// was, or is not going to be.
type Launch struct {
	argv    []string
	dir     string
	env     []string
	sets    [][]int
	program *os.File
	native  bool // the program is no script, so that the open file itself can be started
	parts   []part
	sums    []string // hex, one for each of the sets
}

// part is one file of a launch.
type part struct {
	path  string
	entry int // argument that names it; -1: the program, or what interprets it
	sum   [sha256.Size]byte
}

// Command is what is started.
type Command struct {
	Argv []string // the program, and what is behind it
	Dir  string   // where; "" for the directory of this process
	Env  []string // what the server gets, NAME=value; nil for what this process has
}

// Measure opens and reads what a command starts: the program, what interprets it
// if it is a script, and the files that arguments name. Each of the sets lists
// arguments, where 0 is the first behind the program. Nothing else is opened.
func Measure(c Command, sets [][]int) (*Launch, error) {
	l := &Launch{argv: c.Argv, dir: c.Dir, env: ours(c.Env), sets: sets}
	path, err := Program(c.Argv[0], c.Dir)
	if err != nil {
		return nil, fmt.Errorf("%q can not be measured: %w", c.Argv[0], err)
	}
	if err := pinnable(c.Argv[0], path, c.Argv[1:]); err != nil {
		return nil, err
	}
	if err := l.open(path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	for _, set := range sets {
		for _, n := range set {
			if err := l.entry(n); err != nil {
				return nil, errors.Join(err, l.Close())
			}
		}
	}
	for _, set := range sets {
		l.sums = append(l.sums, l.sum(set))
	}
	return l, nil
}

// pinnable refuses a program that has no digest that says anything, and a link to
// one: npx by another name is npx. A program of many names is whatever it is called.
func pinnable(name, path string, args []string) error {
	if why := Unpinnable(append([]string{name}, args...)); why != "" {
		return fmt.Errorf("%q can not be measured: %s", name, why)
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil || slices.Contains(manyNames, programName(to)) {
		return nil // what is not there is said when it is opened
	}
	if why := Unpinnable(append([]string{to}, args...)); why != "" {
		return fmt.Errorf("%q can not be measured: it leads to %q, and %s", path, to, why)
	}
	return nil
}

// open measures the program, and whatever its first line has interpret it.
func (l *Launch) open(path string) error {
	f, err := regular(path)
	if err != nil {
		return err
	}
	l.program = f
	head, err := l.add(f, path, -1)
	if err != nil {
		return err
	}
	l.native = !bytes.HasPrefix(head, []byte("#!"))
	for n := 0; bytes.HasPrefix(head, []byte("#!")); n++ {
		if n == maxInterpreters {
			return fmt.Errorf("%q can not be measured: more than %d programs interpret one another", path, maxInterpreters)
		}
		list, words, err := l.interpreters(head)
		if err != nil {
			return fmt.Errorf("%q can not be measured: %w", path, err)
		}
		last := list[len(list)-1]
		if err := pinnable(last, last, append(words, path)); err != nil {
			return fmt.Errorf("%q is a script: %w", path, err)
		}
		for _, path = range list {
			if head, err = l.read(path, -1); err != nil {
				return err
			}
		}
	}
	return nil
}

// interpreters lists the programs that the first line of a script names: one,
// by its path, or env and what that looks for; and the words behind the last one.
func (l *Launch) interpreters(head []byte) (list, words []string, err error) {
	line, _, ended := strings.Cut(string(head[2:]), "\n")
	words = strings.Fields(line)
	switch {
	case !ended && len(head) == maxHead:
		return nil, nil, fmt.Errorf("its first line has more than %d bytes", maxHead)
	case len(words) == 0:
		return []string{"/bin/sh"}, nil, nil
	}
	list, words = []string{seenFrom(l.dir, words[0])}, words[1:]
	if filepath.Base(list[0]) != "env" {
		return list, words, nil
	}
	if len(words) > 0 && words[0] == "-S" {
		words = words[1:]
	}
	for len(words) > 0 && strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") && !strings.HasPrefix(words[0], "PATH=") {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "-") || strings.ContainsAny(words[0], "=\\'\"$") {
		return nil, nil, errors.New("its first line has env do more than look for a program; name the interpreter itself")
	}
	path, err := inPath(words[0], l.env)
	if err != nil {
		return nil, nil, err
	}
	return append(list, path), words[1:], nil
}

// entry measures the file that an argument names.
func (l *Launch) entry(n int) error {
	if slices.ContainsFunc(l.parts, func(p part) bool { return p.entry == n }) {
		return nil
	}
	if n < 0 || n >= len(l.argv)-1 {
		return fmt.Errorf("entry_args names argument %d, and the command has %d behind the program", n, len(l.argv)-1)
	}
	_, err := l.read(seenFrom(l.dir, l.argv[1+n]), n)
	return err
}

// read measures a file, and returns how it begins.
func (l *Launch) read(path string, entry int) ([]byte, error) {
	f, err := regular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return l.add(f, path, entry)
}

func (l *Launch) add(f *os.File, path string, entry int) ([]byte, error) {
	p := part{path: path, entry: entry}
	var head []byte
	var err error
	if p.sum, head, err = digest(f); err != nil {
		return nil, fmt.Errorf("%q can not be measured: %w", path, err)
	}
	l.parts = append(l.parts, p)
	return head, nil
}

// regular opens a file that has an end. What a name leads to can change between two
// looks, so it is the open file that is asked what it is.
func regular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	var info os.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case info.Size() > maxMeasured:
		err = fmt.Errorf("it has more than %d bytes", int64(maxMeasured))
	default:
		return f, nil
	}
	if f != nil {
		_ = f.Close() // the first error says more
	}
	var e *os.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	return nil, fmt.Errorf("%q can not be measured: %w", path, err)
}

// digest reads a file from its start.
func digest(f *os.File) (sum [sha256.Size]byte, head []byte, err error) {
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return sum, nil, err
	}
	head = make([]byte, maxHead)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return sum, nil, err
	}
	h := sha256.New()
	h.Write(head[:n])
	more, err := io.Copy(h, io.LimitReader(f, maxMeasured))
	if err == nil && more == maxMeasured {
		err = fmt.Errorf("it has more than %d bytes", int64(maxMeasured))
	}
	if err != nil {
		return sum, nil, err
	}
	return [sha256.Size]byte(h.Sum(nil)), head[:n], nil
}

// sum is the digest over a set of arguments. Every part has its kind and length
// before it, so that no two launches are framed alike.
func (l *Launch) sum(set []int) string {
	h := sha256.New()
	h.Write([]byte(attestForm))
	for _, p := range l.parts {
		if p.entry < 0 {
			framed(h, 'p', p.sum[:])
		}
	}
	for _, arg := range l.argv {
		framed(h, 'a', []byte(arg))
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(set))) {
		i := slices.IndexFunc(l.parts, func(p part) bool { return p.entry == n })
		framed(h, 'e', binary.BigEndian.AppendUint64(nil, uint64(n)))
		framed(h, 'f', l.parts[i].sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func framed(h hash.Hash, kind byte, b []byte) {
	h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b))))
	h.Write(b)
}

// Sums returns the digests, one for each of the sets.
func (l *Launch) Sums() []string { return l.sums }

// Files lists the files that were measured, the program first.
func (l *Launch) Files() []string {
	list := make([]string, len(l.parts))
	for i, p := range l.parts {
		list[i] = p.path
	}
	return list
}

// Fact is what the ledger keeps of it: an object for each of the sets.
func (l *Launch) Fact() abi.Value {
	list := make([]abi.Value, len(l.sets))
	for i, set := range l.sets {
		args := make([]abi.Value, len(set))
		for j, n := range set {
			args[j] = abi.IntValue(int64(n))
		}
		list[i] = abi.ObjectValue(
			abi.Member{Name: "entry_args", Value: abi.ArrayValue(args...)},
			abi.Member{Name: "program", Value: abi.StringValue(l.parts[0].path)},
			abi.Member{Name: "sha256", Value: abi.StringValue(l.sums[i])},
		)
	}
	if len(list) == 1 {
		return list[0]
	}
	return abi.ArrayValue(list...)
}

// Changed says what is not any more as it was measured. It is asked once the
// command has been started.
func (l *Launch) Changed() error {
	for i, p := range l.parts {
		f, err := l.program, error(nil)
		if i > 0 || !l.pinned() {
			if f, err = regular(p.path); err != nil {
				return err
			}
			defer f.Close()
		}
		sum, _, err := digest(f)
		if err == nil && sum != p.sum {
			err = errors.New("it was changed while the server was started")
		}
		if err != nil {
			return fmt.Errorf("%q: %w", p.path, err)
		}
	}
	return nil
}

// Close lets go of the program's file.
func (l *Launch) Close() error {
	if l.program == nil {
		return nil
	}
	return l.program.Close()
}
