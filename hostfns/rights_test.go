package hostfns

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

// TestEachRightIsNeeded takes one right away and makes the calls that need it.
func TestEachRightIsNeeded(t *testing.T) {
	const path, other, n = 4096, 8192, 1
	dir := map[rights][][]any{
		rightPathCreateDirectory:  {{"path_create_directory", path, n}},
		rightPathCreateFile:       {{"path_open", 0, path, n, oflagCreat, 0, 0, 0, 64}},
		rightPathOpen:             {{"path_open", 0, path, n, 0, 0, 0, 0, 64}},
		rightPathFilestatSetSize:  {{"path_open", 0, path, n, oflagTrunc, 0, 0, 0, 64}},
		rightFdReaddir:            {{"fd_readdir", 1024, 64, 0, 32}},
		rightPathReadlink:         {{"path_readlink", path, n, 512, 8, 32}},
		rightPathFilestatGet:      {{"path_filestat_get", 0, path, n, 256}},
		rightPathFilestatSetTimes: {{"path_filestat_set_times", 0, path, n, 0, 0, 0}},
		rightPathRemoveDirectory:  {{"path_remove_directory", path, n}},
		rightPathUnlinkFile:       {{"path_unlink_file", path, n}},
		rightPathRenameSource:     {{"path_rename", path, n, 3, other, n}},
		rightPathLinkSource:       {{"path_link", 0, path, n, 3, other, n}},
		rightFdFilestatGet:        {{"fd_filestat_get", 256}},
		rightFdFilestatSetTimes:   {{"fd_filestat_set_times", 0, 0, 0}},
		rightFdFdstatSetFlags:     {{"fd_fdstat_set_flags", 0}},
		rightFdSync:               {{"fd_sync"}},
		rightFdDatasync:           {{"fd_datasync"}},
	}
	file := map[rights][][]any{
		rightFdSeek:            {{"fd_seek", 1, 0, 8}, {"fd_pread", 128, 1, 0, 32}, {"fd_pwrite", 128, 1, 0, 32}},
		rightFdAdvise:          {{"fd_advise", 0, 0, 0}},
		rightFdAllocate:        {{"fd_allocate", 0, 1}},
		rightFdFilestatSetSize: {{"fd_filestat_set_size", 0}},
		rightFdFilestatGet:     {{"fd_filestat_get", 256}},
		rightFdFdstatSetFlags:  {{"fd_fdstat_set_flags", 0}},
		rightFdSync:            {{"fd_sync"}},
		rightFdDatasync:        {{"fd_datasync"}},
	}
	for right, calls := range dir {
		f := newFake(t, nil)
		f.needs(3, right, calls)
	}
	for right, calls := range file {
		f := newFake(t, nil)
		f.needs(f.open("hello.txt", 0, allRights), right, calls)
	}
}

// needs makes calls on a descriptor that has all rights but one, then on one
// that has that one alone.
func (f *fake) needs(fd uint64, right rights, calls [][]any) {
	f.t.Helper()
	f.mem[4096], f.mem[8192] = 'a', 'b'
	f.vec(1)
	d := f.g.fds.get(fd)
	all := d.base
	for _, c := range calls {
		args := []uint64{fd}
		for _, a := range c[1:] {
			args = append(args, uint64(a.(int)))
		}
		d.base = all &^ right
		require.Equal(f.t, errno.ENOTCAPABLE, f.call(c[0].(string), args...), "%s without %b", c[0], right)
		d.base = right
		if c[0] == "path_open" {
			d.base |= rightPathOpen
		}
		if e := f.call(c[0].(string), args...); c[0] != "path_rename" && c[0] != "path_link" {
			require.NotEqual(f.t, errno.ENOTCAPABLE, e, "%s with %b", c[0], right)
		}
	}
}

func TestTheOtherDirectoryNeedsRightsToo(t *testing.T) {
	for right, name := range map[rights]string{rightPathRenameTarget: "path_rename", rightPathLinkTarget: "path_link"} {
		f := newFake(t, nil)
		to, m := f.str2("d2")
		sub := f.open("d", oflagDirectory, uint64(rightsDir))
		from, n := f.str("hello.txt")
		f.g.fds.get(sub).base &^= right
		args := []uint64{3, from, n, sub, to, m}
		if name == "path_link" {
			args = []uint64{3, 0, from, n, sub, to, m}
		}
		require.Equal(t, errno.ENOTCAPABLE, f.call(name, args...), name)
		f.g.fds.get(sub).base |= right
		f.ok(name, args...)
	}
}

func TestRightsOnlyShrinkOnTheWayDown(t *testing.T) {
	f := newFake(t, nil)
	f.ok("fd_fdstat_set_rights", 3, uint64(rightsDir), uint64(rightsDir|rightFdRead|rightFdSeek))
	sub := f.open("d", oflagDirectory, uint64(rightsDir))
	p, n := f.str("inner")
	f.ok("path_open", sub, 0, p, n, 0, allRights, allRights, 0, 64)
	d := f.g.fds.get(uint64(f.u32(64)))
	require.Equal(t, rightFdRead|rightFdSeek, d.base&rightsFile&^rightsDir, "no more than the first directory hands on")
	require.Zero(t, d.base&rightFdWrite)
}

func TestAFullTableLeavesFilesAlone(t *testing.T) {
	f := newFake(t, func(c *Config) { c.MaxFDs = 4 })
	p, n := f.str("hello.txt")
	require.Equal(t, errno.EMFILE, f.call("path_open", 3, 0, p, n, oflagTrunc, allRights, 0, 0, 64))
	f.ok("path_filestat_get", 3, 0, p, n, 256)
	require.Equal(t, uint64(11), f.u64(256+32), "not cut")
	p, n = f.str("made")
	require.Equal(t, errno.EMFILE, f.call("path_open", 3, 0, p, n, oflagCreat, allRights, 0, 0, 64))
	require.Equal(t, errno.ENOENT, f.call("path_filestat_get", 3, 0, p, n, 256), "not made")
	f.ok("fd_close", 1)
	require.Equal(t, uint64(1), f.open("made", oflagCreat, allRights), "the lowest number that is free")
}
