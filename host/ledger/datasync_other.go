//go:build !linux

package ledger

import "os"

// datasync makes f durable; on macOS Sync asks the drive itself (F_FULLFSYNC).
func datasync(f *os.File) error { return f.Sync() }
