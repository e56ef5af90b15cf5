package wasm

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
)

// The errors of wasi_snapshot_preview1 that the shim answers with.
const (
	wasiOK         = 0
	wasiBadFile    = 8  // EBADF
	wasiFault      = 21 // EFAULT
	wasiInvalid    = 28 // EINVAL
	wasiNoSystem   = 52 // ENOSYS
	wasiNotCapable = 76 // ENOTCAPABLE
)

// wasiFunc is one function of wasi_snapshot_preview1: arguments in, error out.
type wasiFunc func(r *run, args []uint64) uint32

// shim is what has an answer of its own. Everything else that WASI has links, and
// fails: a guest that merely contains printf imports fd_seek.
var shim = []struct {
	name string
	call wasiFunc
}{
	{"args_get", func(*run, []uint64) uint32 { return wasiOK }},
	{"args_sizes_get", noneOf},
	{"clock_time_get", clockTimeGet},
	{"environ_get", func(*run, []uint64) uint32 { return wasiOK }},
	{"environ_sizes_get", noneOf},
	{"fd_close", ofStdio},
	{"fd_fdstat_get", fdStat},
	{"fd_fdstat_set_flags", ofStdio},
	{"fd_write", fdWrite},
	{"poll_oneoff", pollOneoff},
	{"proc_exit", procExit},
	{"random_get", randomGet},
	{"sched_yield", func(*run, []uint64) uint32 { return wasiOK }},
}

// wasi returns the function of a name.
func wasi(name string) api.GoModuleFunc {
	call := wasiFails(name)
	for _, s := range shim {
		if s.name == name {
			call = s.call
		}
	}
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		r := runOf(ctx, mod)
		r.charge(0)
		errno := call(r, stack)
		if len(stack) > 0 {
			stack[0] = uint64(errno)
		}
	}
}

// wasiFails is the fixed error of what the shim does not have.
func wasiFails(name string) wasiFunc {
	errno := uint32(wasiNoSystem)
	switch {
	case strings.HasPrefix(name, "fd_"):
		errno = wasiBadFile
	case strings.HasPrefix(name, "path_"):
		errno = wasiNotCapable
	}
	return func(*run, []uint64) uint32 { return errno }
}

// spend charges for bytes beyond the call itself: as much as for another call, which
// ABI.md says, and which therefore stays.
func (r *run) spend(bytes uint64) {
	if bytes >= HostBytesPerFuel {
		r.charge(bytes)
	}
}

// noneOf answers how many arguments or variables there are, and their bytes.
func noneOf(r *run, args []uint64) uint32 {
	if !r.mem.WriteUint32Le(uint32(args[0]), 0) || !r.mem.WriteUint32Le(uint32(args[1]), 0) {
		return wasiFault
	}
	return wasiOK
}

func clockTimeGet(r *run, args []uint64) uint32 {
	const clocks = 4
	if uint32(args[0]) >= clocks {
		return wasiInvalid
	}
	if !r.mem.WriteUint64Le(uint32(args[2]), r.clock()) {
		return wasiFault
	}
	return wasiOK
}

// ofStdio succeeds for the three streams.
func ofStdio(_ *run, args []uint64) uint32 {
	if uint32(args[0]) > 2 {
		return wasiBadFile
	}
	return wasiOK
}

// fdStat says that the streams are character devices, and nothing of rights.
func fdStat(r *run, args []uint64) uint32 {
	if uint32(args[0]) > 2 {
		return wasiBadFile
	}
	var stat [24]byte
	stat[0] = 2
	if !r.mem.Write(uint32(args[1]), stat[:]) {
		return wasiFault
	}
	return wasiOK
}

// fdWrite writes to the log.
func fdWrite(r *run, args []uint64) uint32 {
	fd := uint32(args[0])
	if fd != 1 && fd != 2 {
		return wasiBadFile
	}
	count := uint64(uint32(args[2]))
	if count*8 > uint64(r.mem.Size()) {
		return wasiFault
	}
	r.spend(count * 8)
	vectors, ok := r.mem.Read(uint32(args[1]), uint32(count*8))
	if !ok {
		return wasiFault
	}
	total := uint64(0)
	for ; len(vectors) > 0; vectors = vectors[8:] {
		text, ok := r.mem.Read(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		if !ok {
			return wasiFault
		}
		if total += uint64(len(text)); total > uint64(r.mem.Size()) {
			return wasiInvalid
		}
		r.spend(uint64(len(text)))
		r.log.write(int(fd-1), text)
	}
	if !r.mem.WriteUint32Le(uint32(args[3]), uint32(total)) {
		return wasiFault
	}
	return wasiOK
}

// pollOneoff answers every subscription at once: a clock has run out, though it
// has not moved, and of files there are none.
func pollOneoff(r *run, args []uint64) uint32 {
	const subscription, event = 48, 32
	in, out, count := uint32(args[0]), uint32(args[1]), uint64(uint32(args[2]))
	if count == 0 {
		return wasiInvalid
	}
	if count*subscription > uint64(r.mem.Size()) {
		return wasiFault
	}
	r.spend(count * (subscription + event))
	from, ok := r.mem.Read(in, uint32(count*subscription))
	if !ok {
		return wasiFault
	}
	to, ok := r.mem.Read(out, uint32(count*event))
	if !ok {
		return wasiFault
	}
	for range count {
		var answer [event]byte
		copy(answer[:8], from[:8]) // the user's data
		if answer[10] = from[8]; answer[10] != 0 {
			answer[8] = wasiBadFile
		}
		copy(to, answer[:])
		from, to = from[subscription:], to[event:]
	}
	if !r.mem.WriteUint32Le(uint32(args[3]), uint32(count)) {
		return wasiFault
	}
	return wasiOK
}

// procExit ends the guest, whatever the number: it has answered nothing.
func procExit(r *run, args []uint64) uint32 {
	r.stop(abi.FailExit, "proc_exit(%d)", uint32(args[0]))
	return wasiOK
}

func randomGet(r *run, args []uint64) uint32 {
	size := uint64(uint32(args[1]))
	to, ok := r.mem.Read(uint32(args[0]), uint32(size))
	if !ok {
		return wasiFault
	}
	r.spend(size)
	r.fill(to)
	return wasiOK
}
