//go:build unix

package locked_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/bundle"
)

// A pipe in the place of a file holds up nobody.
func TestAPipeIsNoLockAndNoTrustFile(t *testing.T) {
	for name, c := range map[string]struct {
		file func(*world) string
		mend func(*world)
	}{
		"a lock":       {func(w *world) string { return w.in(bundle.LockFile) }, func(w *world) { w.saveLock() }},
		"a trust file": {(*world).trustFile, func(w *world) { w.saveTrust() }},
		"a bundle":     {func(w *world) string { return w.in("p.cgp") }, func(w *world) { w.put("p.cgp", w.opened.Data) }},
		"a signature":  {func(w *world) string { return w.in("p.cgp.minisig") }, func(w *world) { w.put("p.cgp.minisig", w.sign(w.opened.Data, w.secret)) }},
		"the store's":  {(*world).stored, func(w *world) { w.store(w.opened.Data) }},
	} {
		w := newWorld(t)
		w.gone(c.file(w))
		must(w, syscall.Mkfifo(c.file(w), 0o600))
		if _, _, err := w.load(today); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
		w.gone(c.file(w))
		c.mend(w)
		if _, _, err := w.load(today); err != nil {
			t.Errorf("%s: the twin: %v", name, err)
		}
	}
}
