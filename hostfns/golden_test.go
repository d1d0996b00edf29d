package hostfns

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

var update = flag.Bool("update", false, "rewrite the call logs in testdata")

// untouched fills the memory before a call, so that every byte a call writes
// shows, zeros too.
const untouched = '?'

// TestCallLogs makes the calls that testdata lists and compares each one's
// trace and the memory that it wrote. A line is a function and its arguments:
//
//	7  0x40  all-read  number, or a set of rights by name
//	"text"             a pointer to the text and its length
//	<"ab","c">         pointer and count of buffers that hold the texts
//	<3,1>              pointer and count of buffers with room for so many bytes
//
// Indented lines are what came of it. go test -run CallLogs -update writes them.
func TestCallLogs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			got := playCalls(t, string(want))
			if *update {
				require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
			}
			require.Equal(t, string(want), got, "go test ./hostfns -run CallLogs -update shows what changed")
		})
	}
}

func playCalls(t *testing.T, script string) string {
	var out strings.Builder
	root := false
	var f *fake
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "  "):
			continue
		case line == "# root":
			root = true
		}
		fmt.Fprintln(&out, line)
		if line == "" || line[0] == '#' {
			continue
		}
		if f == nil {
			f = newFake(t, func(c *Config) {
				if root { // one preopen, the root of an empty tree
					c.FS = vfs.New(vfs.Config{Now: c.Clock.Now})
					c.Preopens = []Preopen{{GuestPath: "/", Ino: c.FS.Root()}}
				}
			})
		}
		out.WriteString(f.play(line))
	}
	return out.String()
}

// play makes the call of one line and says what came of it.
func (f *fake) play(line string) string {
	name, rest, _ := strings.Cut(line, " ")
	fn := Lookup(ModuleName, name)
	require.NotNil(f.t, fn, line)
	for i := range f.mem {
		f.mem[i] = untouched
	}
	var args []uint64
	at := 4096
	for _, word := range splitArgs(rest) {
		args = append(args, f.place(word, &at)...)
	}
	require.Len(f.t, args, len(fn.Params), line)
	before := bytes.Clone(f.mem)
	e := f.call(name, slices.Clone(args)...) // the errno goes where the first one was
	return fmt.Sprintf("  %s\n%s", trace(fn, args, e, f.stop), touched(before, f.mem))
}

// trace is a call as the table spells it.
func trace(fn *Function, args []uint64, e errno.Errno, stop bool) string {
	var list []string
	for i, p := range fn.Params {
		list = append(list, fmt.Sprintf("%s=%d", p.Name, args[i]))
	}
	s := fmt.Sprintf("%s(%s)", fn.Name, strings.Join(list, ","))
	if len(fn.Results) > 0 {
		s += " -> " + e.String()
	}
	if stop {
		s += " and no further"
	}
	return s
}

// touched lists the runs of bytes that differ.
func touched(before, after []byte) string {
	var out strings.Builder
	for i := 0; i < len(after); i++ {
		if before[i] == after[i] {
			continue
		}
		end := i
		for end < len(after) && before[end] != after[end] {
			end++
		}
		fmt.Fprintf(&out, "    %d: % x\n", i, after[i:end])
		i = end
	}
	return out.String()
}

// splitArgs splits at spaces outside of quotes.
func splitArgs(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// place turns one word of a line into arguments, with what they point to.
func (f *fake) place(word string, at *int) []uint64 {
	switch {
	case word[0] == '"':
		return f.text(word, at)
	case word[0] == '<':
		return f.buffers(strings.Split(strings.Trim(word, "<>"), ","), at)
	}
	if r, ok := rightSets[word]; ok {
		return []uint64{uint64(r)}
	}
	if v, err := strconv.ParseInt(word, 0, 64); err == nil {
		return []uint64{uint64(v)}
	}
	v, err := strconv.ParseUint(word, 0, 64)
	require.NoError(f.t, err)
	return []uint64{v}
}

func (f *fake) text(word string, at *int) []uint64 {
	s, err := strconv.Unquote(word)
	require.NoError(f.t, err)
	ptr := *at
	*at += copy(f.mem[ptr:], s)
	return []uint64{uint64(ptr), uint64(len(s))}
}

// buffers puts the array at 128 and what it names at 12288 and on.
func (f *fake) buffers(words []string, at *int) []uint64 {
	data := 12288
	for i, w := range words {
		room := []uint64{uint64(data), 0}
		if w[0] == '"' {
			room = f.text(w, &data)
		} else {
			n, err := strconv.Atoi(w)
			require.NoError(f.t, err)
			room[1] = uint64(n)
			data += n
		}
		binary.LittleEndian.PutUint32(f.mem[128+8*i:], uint32(room[0]))
		binary.LittleEndian.PutUint32(f.mem[132+8*i:], uint32(room[1]))
	}
	return []uint64{128, uint64(len(words))}
}

// rightSets are those that the lines ask for by name.
var rightSets = map[string]rights{
	"all":   rightsAll,
	"none":  0,
	"read":  rightFdRead,
	"write": rightFdWrite,
	"rw":    rightFdRead | rightFdWrite,
	"rwst":  rightFdRead | rightFdWrite | rightFdSeek | rightFdTell | rightFdFdstatSetFlags,
	"seek":  rightFdSeek,
	"sync":  rightFdSync,
	"dsync": rightFdDatasync,
	"dir":   rightsDir,
	"file":  rightsFile,
	"alloc": rightFdAllocate,
}
