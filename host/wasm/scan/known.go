package scan

// A Func is a function that the host provides. Params and Results have a
// letter for each value: i is i32, I is i64.
type Func struct {
	Module, Name, Params, Results string
}

// The modules that a guest imports from.
const (
	HostModule = "callgate_v0"
	WASIModule = "wasi_snapshot_preview1"
	// MeterModule is the host's own: the metering pass imports from it.
	MeterModule = "callgate_m1"
)

// Host is what a guest may import of the ABI.
var Host = []Func{
	{HostModule, "get", "iiii", "I"},
	{HostModule, "log", "iii", ""},
	{HostModule, "log_enabled", "i", "i"},
}

// WASI is all functions of wasi_snapshot_preview1.
var WASI = []Func{
	{WASIModule, "args_get", "ii", "i"},
	{WASIModule, "args_sizes_get", "ii", "i"},
	{WASIModule, "clock_res_get", "ii", "i"},
	{WASIModule, "clock_time_get", "iIi", "i"},
	{WASIModule, "environ_get", "ii", "i"},
	{WASIModule, "environ_sizes_get", "ii", "i"},
	{WASIModule, "fd_advise", "iIIi", "i"},
	{WASIModule, "fd_allocate", "iII", "i"},
	{WASIModule, "fd_close", "i", "i"},
	{WASIModule, "fd_datasync", "i", "i"},
	{WASIModule, "fd_fdstat_get", "ii", "i"},
	{WASIModule, "fd_fdstat_set_flags", "ii", "i"},
	{WASIModule, "fd_fdstat_set_rights", "iII", "i"},
	{WASIModule, "fd_filestat_get", "ii", "i"},
	{WASIModule, "fd_filestat_set_size", "iI", "i"},
	{WASIModule, "fd_filestat_set_times", "iIIi", "i"},
	{WASIModule, "fd_pread", "iiiIi", "i"},
	{WASIModule, "fd_prestat_dir_name", "iii", "i"},
	{WASIModule, "fd_prestat_get", "ii", "i"},
	{WASIModule, "fd_pwrite", "iiiIi", "i"},
	{WASIModule, "fd_read", "iiii", "i"},
	{WASIModule, "fd_readdir", "iiiIi", "i"},
	{WASIModule, "fd_renumber", "ii", "i"},
	{WASIModule, "fd_seek", "iIii", "i"},
	{WASIModule, "fd_sync", "i", "i"},
	{WASIModule, "fd_tell", "ii", "i"},
	{WASIModule, "fd_write", "iiii", "i"},
	{WASIModule, "path_create_directory", "iii", "i"},
	{WASIModule, "path_filestat_get", "iiiii", "i"},
	{WASIModule, "path_filestat_set_times", "iiiiIIi", "i"},
	{WASIModule, "path_link", "iiiiiii", "i"},
	{WASIModule, "path_open", "iiiiiIIii", "i"},
	{WASIModule, "path_readlink", "iiiiii", "i"},
	{WASIModule, "path_remove_directory", "iii", "i"},
	{WASIModule, "path_rename", "iiiiii", "i"},
	{WASIModule, "path_symlink", "iiiii", "i"},
	{WASIModule, "path_unlink_file", "iii", "i"},
	{WASIModule, "poll_oneoff", "iiii", "i"},
	{WASIModule, "proc_exit", "i", ""},
	{WASIModule, "proc_raise", "i", "i"},
	{WASIModule, "random_get", "ii", "i"},
	{WASIModule, "sched_yield", "", "i"},
	{WASIModule, "sock_accept", "iii", "i"},
	{WASIModule, "sock_recv", "iiiiii", "i"},
	{WASIModule, "sock_send", "iiiii", "i"},
	{WASIModule, "sock_shutdown", "ii", "i"},
}

// provided finds what the host provides under a name.
func provided(module, name []byte) (Func, bool) {
	for _, list := range [][]Func{Host, WASI} {
		for _, f := range list {
			if f.Module == string(module) && f.Name == string(name) {
				return f, true
			}
		}
	}
	return Func{}, false
}
