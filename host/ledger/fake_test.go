package ledger

import "sync"

// fake is a file whose failures the test chooses.
type fake struct {
	mu      sync.Mutex
	data    []byte
	synced  int // bytes that were there when the last good sync began
	short   int // bytes that the next write takes, if failWrite or lie
	write   error
	lie     bool // short write without an error
	sync    error
	close   error
	entered chan struct{} // one value per sync that began, if not nil
	release chan struct{} // a sync ends after one value, if not nil
}

func (f *fake) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.write != nil || f.lie {
		f.data = append(f.data, p[:f.short]...)
		return f.short, f.write
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *fake) Sync() error {
	f.mu.Lock()
	size := len(f.data)
	f.mu.Unlock()
	if f.entered != nil {
		f.entered <- struct{}{}
	}
	if f.release != nil {
		<-f.release
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sync == nil {
		f.synced = size
	}
	return f.sync
}

func (f *fake) Close() error { return f.close }
