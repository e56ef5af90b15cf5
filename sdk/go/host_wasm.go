//go:build wasip1

package callgate

import "unsafe"

//go:wasmimport callgate_v0 get
//go:noescape
func hostGet(path unsafe.Pointer, pathLen uint32, buf unsafe.Pointer, limit uint32) uint64

//go:wasmimport callgate_v0 log
//go:noescape
func hostLog(level uint32, text unsafe.Pointer, textLen uint32)

//go:wasmimport callgate_v0 log_enabled
func hostLogEnabled(level uint32) uint32

//go:wasmexport callgate_abi_1_0
func marker() {}

//go:wasmexport callgate_evaluate
func exportEvaluate() uint64 { return answer(evaluate()) }

//go:wasmexport callgate_configure
func exportConfigure() uint64 { return answer(configure()) }

// answered keeps what was answered last where the host can read it.
var answered []byte

func answer(b []byte) uint64 {
	answered = b
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))<<32 | uint64(len(b))
}

func get(path string, buf []byte) (Kind, int) {
	r := hostGet(unsafe.Pointer(unsafe.StringData(path)), uint32(len(path)), unsafe.Pointer(unsafe.SliceData(buf)), uint32(len(buf)))
	return Kind(r >> 32), int(uint32(r))
}

func log(level uint32, text string) {
	hostLog(level, unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

func logEnabled(level uint32) bool { return hostLogEnabled(level) != 0 }
