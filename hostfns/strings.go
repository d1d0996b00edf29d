package hostfns

import (
	"encoding/binary"

	"github.com/seed48025506/belljar/internal/errno"
)

// argsGet writes the arguments: an array of pointers at argv, and at argv_buf
// the strings, each ended by a NUL.
//
//	argv:     [ptr u32][ptr u32]…
//	argv_buf: "prog\0" "-v\0" …
//
// EFAULT: one of them does not fit the memory.
func argsGet(g *Guest, p []uint64) errno.Errno { return g.putStrings(g.cfg.Args, p[0], p[1]) }

// argsSizesGet writes how many arguments there are and how many bytes
// argv_buf needs, both u32.
func argsSizesGet(g *Guest, p []uint64) errno.Errno { return g.putSizes(g.cfg.Args, p[0], p[1]) }

// environGet is args_get for the environment, "NAME=value" each.
func environGet(g *Guest, p []uint64) errno.Errno { return g.putStrings(g.cfg.Env, p[0], p[1]) }

// environSizesGet is args_sizes_get for the environment.
func environSizesGet(g *Guest, p []uint64) errno.Errno { return g.putSizes(g.cfg.Env, p[0], p[1]) }

func size(list []string) (n uint64) {
	for _, s := range list {
		n += uint64(len(s)) + 1
	}
	return n
}

func (g *Guest) putStrings(list []string, ptrs, buf uint64) errno.Errno {
	array, e := g.bytes(ptrs, uint64(len(list))*4)
	if e != errno.OK {
		return e
	}
	text, e := g.bytes(buf, size(list))
	if e != errno.OK {
		return e
	}
	at := 0
	for i, s := range list {
		binary.LittleEndian.PutUint32(array[i*4:], uint32(buf)+uint32(at))
		at += copy(text[at:], s)
		text[at] = 0
		at++
	}
	return errno.OK
}

func (g *Guest) putSizes(list []string, count, length uint64) errno.Errno {
	if e := g.putU32(count, uint32(len(list))); e != errno.OK {
		return e
	}
	return g.putU32(length, uint32(size(list)))
}
