//go:build !unix && !windows

package wasm

import "time"

// processorTime is what this process has used of processors: nobody says.
func processorTime() time.Duration { return 0 }
