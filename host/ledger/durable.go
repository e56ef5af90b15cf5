package ledger

// Durable says whether everything up to a token is durable already: then
// [Ledger.Wait] would return nil at once. It never blocks on the disk.
func (l *Ledger) Durable(t Token) bool {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	_, inMemory := l.file.(*memory)
	return l.poison == nil && (inMemory || l.durable >= uint64(t))
}
