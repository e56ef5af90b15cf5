package ledger

// MemoryOptions says how a ledger in memory behaves.
type MemoryOptions struct {
	ID   string // what ID returns
	Keep bool   // keep the lines for Bytes
}

// memory is the file that is none: what is written is durable at once.
type memory struct {
	keep bool
	data []byte
}

func (m *memory) Write(p []byte) (int, error) {
	if m.keep {
		m.data = append(m.data, p...)
	}
	return len(p), nil
}

func (m *memory) Sync() error  { return nil }
func (m *memory) Close() error { return nil }

// Memory returns a ledger without a file, for measurements and tests. It checks
// and chains events as one with a file does, starting after 64 zeros; Wait
// returns at once. It forgets the lines unless o says Keep.
func Memory(o ...MemoryOptions) *Ledger {
	var opts MemoryOptions
	for _, last := range o {
		opts = last
	}
	return newLedger(&memory{keep: opts.Keep}, opts.ID, "", zeroHash)
}

// Bytes returns a copy of the lines that a ledger in memory has kept, each with
// its LF, and nil for any other ledger.
func (l *Ledger) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, ok := l.file.(*memory); ok {
		return append([]byte(nil), m.data...)
	}
	return nil
}
