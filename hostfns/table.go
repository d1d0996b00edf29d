package hostfns

import "github.com/seed48025506/belljar/internal/errno"

// ModuleName is the import module of every function in Functions.
const ModuleName = "wasi_snapshot_preview1"

// ValueType is a WebAssembly value type, as its byte in the binary format.
type ValueType byte

// The value types that WASI preview 1 uses.
const (
	I32 ValueType = 0x7f
	I64 ValueType = 0x7e
)

// Param is one parameter of a function.
type Param struct {
	Name string
	Type ValueType
}

// Function is one row of the table.
type Function struct {
	Index   int // its place in Functions
	Name    string
	Params  []Param
	Results []ValueType // one I32, the errno; none for proc_exit

	fn   func(*Guest, []uint64) errno.Errno
	time bool // reads the clock or yields: no progress for the spinning rule
}

// Functions is every function of wasi_snapshot_preview1, in the order of its
// specification. It must not be changed.
var Functions = table()

var byName = func() map[string]*Function {
	m := map[string]*Function{}
	for i := range Functions {
		m[Functions[i].Name] = &Functions[i]
	}
	return m
}()

// Lookup returns the function that a module imports by these names, or nil.
func Lookup(module, name string) *Function {
	if module != ModuleName {
		return nil
	}
	return byName[name]
}

func table() []Function {
	list := []Function{
		row("args_get", argsGet, "argv", "argv_buf"),
		row("args_sizes_get", argsSizesGet, "result.argc", "result.argv_len"),
		row("environ_get", environGet, "environ", "environ_buf"),
		row("environ_sizes_get", environSizesGet, "result.environc", "result.environv_len"),
		row("clock_res_get", clockResGet, "id", "result.resolution"),
		row("clock_time_get", clockTimeGet, "id", "precision:64", "result.timestamp"),
		row("fd_advise", fdAdvise, "fd", "offset:64", "len:64", "advice"),
		row("fd_allocate", fdAllocate, "fd", "offset:64", "len:64"),
		row("fd_close", fdClose, "fd"),
		row("fd_datasync", fdDatasync, "fd"),
		row("fd_fdstat_get", fdFdstatGet, "fd", "result.stat"),
		row("fd_fdstat_set_flags", fdFdstatSetFlags, "fd", "flags"),
		row("fd_fdstat_set_rights", fdFdstatSetRights, "fd", "fs_rights_base:64", "fs_rights_inheriting:64"),
		row("fd_filestat_get", fdFilestatGet, "fd", "result.filestat"),
		row("fd_filestat_set_size", fdFilestatSetSize, "fd", "size:64"),
		row("fd_filestat_set_times", fdFilestatSetTimes, "fd", "atim:64", "mtim:64", "fst_flags"),
		row("fd_pread", fdPread, "fd", "iovs", "iovs_len", "offset:64", "result.nread"),
		row("fd_prestat_get", fdPrestatGet, "fd", "result.prestat"),
		row("fd_prestat_dir_name", fdPrestatDirName, "fd", "path", "path_len"),
		row("fd_pwrite", fdPwrite, "fd", "iovs", "iovs_len", "offset:64", "result.nwritten"),
		row("fd_read", fdRead, "fd", "iovs", "iovs_len", "result.nread"),
		row("fd_readdir", fdReaddir, "fd", "buf", "buf_len", "cookie:64", "result.bufused"),
		row("fd_renumber", fdRenumber, "fd", "to"),
		row("fd_seek", fdSeek, "fd", "offset:64", "whence", "result.newoffset"),
		row("fd_sync", fdSync, "fd"),
		row("fd_tell", fdTell, "fd", "result.offset"),
		row("fd_write", fdWrite, "fd", "iovs", "iovs_len", "result.nwritten"),
		row("path_create_directory", pathCreateDirectory, "fd", "path", "path_len"),
		row("path_filestat_get", pathFilestatGet, "fd", "flags", "path", "path_len", "result.filestat"),
		row("path_filestat_set_times", pathFilestatSetTimes, "fd", "flags", "path", "path_len", "atim:64", "mtim:64", "fst_flags"),
		row("path_link", pathLink, "old_fd", "old_flags", "old_path", "old_path_len", "new_fd", "new_path", "new_path_len"),
		row("path_open", pathOpen, "fd", "dirflags", "path", "path_len", "oflags", "fs_rights_base:64", "fs_rights_inheriting:64", "fdflags", "result.opened_fd"),
		row("path_readlink", pathReadlink, "fd", "path", "path_len", "buf", "buf_len", "result.bufused"),
		row("path_remove_directory", pathRemoveDirectory, "fd", "path", "path_len"),
		row("path_rename", pathRename, "fd", "old_path", "old_path_len", "new_fd", "new_path", "new_path_len"),
		row("path_symlink", pathSymlink, "old_path", "old_path_len", "fd", "new_path", "new_path_len"),
		row("path_unlink_file", pathUnlinkFile, "fd", "path", "path_len"),
		row("poll_oneoff", pollOneoff, "in", "out", "nsubscriptions", "result.nevents"),
		row("proc_exit", procExit, "rval"),
		row("proc_raise", procRaise, "sig"),
		row("sched_yield", schedYield),
		row("random_get", randomGet, "buf", "buf_len"),
		row("sock_accept", sockAccept, "fd", "flags", "result.fd"),
		row("sock_recv", sockRecv, "fd", "ri_data", "ri_data_len", "ri_flags", "result.ro_datalen", "result.ro_flags"),
		row("sock_send", sockSend, "fd", "si_data", "si_data_len", "si_flags", "result.so_datalen"),
		row("sock_shutdown", sockShutdown, "fd", "how"),
	}
	for i := range list {
		f := &list[i]
		f.Index = i
		f.time = f.Name == "clock_time_get" || f.Name == "sched_yield" || f.Name == "poll_oneoff"
		if f.Name == "proc_exit" {
			f.Results = nil
		}
	}
	return list
}

// row makes a row; a parameter is an I32 unless its name ends in ":64".
func row(name string, fn func(*Guest, []uint64) errno.Errno, params ...string) Function {
	f := Function{Name: name, fn: fn, Results: []ValueType{I32}}
	for _, p := range params {
		param := Param{Name: p, Type: I32}
		if n := len(p) - 3; n > 0 && p[n:] == ":64" {
			param = Param{Name: p[:n], Type: I64}
		}
		f.Params = append(f.Params, param)
	}
	return f
}
