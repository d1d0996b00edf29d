package runtime_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

var errBoom = errors.New("boom")

// bomb is everything that an embedder may hand over, and panics.
type bomb struct{}

func (bomb) Write([]byte) (int, error)           { panic(errBoom) }
func (bomb) Read([]byte) (int, error)            { panic(errBoom) }
func (bomb) Put([]byte) (cas.Digest, error)      { panic(errBoom) }
func (bomb) Get(cas.Digest) ([]byte, error)      { panic(errBoom) }
func (bomb) Has(cas.Digest) (bool, error)        { panic(errBoom) }
func (bomb) Lstat(string) (vfs.Info, error)      { panic(errBoom) }
func (bomb) ReadDir(string) ([]vfs.Entry, error) { panic(errBoom) }
func (bomb) ReadLink(string) (string, error)     { panic(errBoom) }
func (bomb) Close() error                        { return nil }

// readBomb panics when a file is read.
type readBomb struct{ vfs.Base }

func (readBomb) Read(string, vfs.Info, int64, int) (*cas.Blob, error) { panic(errBoom) }

type baseBomb struct{ bomb }

func (baseBomb) Read(string, vfs.Info, int64, int) (*cas.Blob, error) { panic(errBoom) }

// A panic in what the embedder handed over is that session's error.
func TestPanicsOfTheEmbedderAreTyped(t *testing.T) {
	dir := vfs.FromFS(fstest.MapFS{"greeting.txt": {Data: []byte("hi\n"), Mode: 0o644}, "old.txt": {Data: []byte("old\n"), Mode: 0o644}})
	mount := func(b vfs.Base) runtime.Jar {
		return runtime.Jar{Mounts: []runtime.Mount{{Guest: "/work", Base: b}}}
	}
	for where, c := range map[string]struct {
		guest string
		spec  runtime.Spec
	}{
		"an output stream": {"env", runtime.Spec{Stdout: bomb{}}},
		"standard input":   {"env", runtime.Spec{Stdin: bomb{}}},
		"mount /work":      {"demo", runtime.Spec{Jar: mount(baseBomb{})}},
		"store":            {"env", runtime.Spec{Jar: runtime.Jar{TapeTo: new(bytes.Buffer), Store: bomb{}}}},
	} {
		for _, timeout := range []time.Duration{0, time.Minute} { // input is read elsewhere then
			_, p := program(t, c.guest)
			c.spec.Timeout = timeout
			_, err := p.Run(ctx, c.spec)
			var panicked *runtime.PanicError
			require.ErrorAs(t, err, &panicked, where)
			require.Equal(t, where, panicked.Where)
			require.Equal(t, errBoom, panicked.Value)
			require.Contains(t, panicked.Stack, "guard_test.go")
		}
	}
	_, p := program(t, "demo")
	_, err := p.Run(ctx, runtime.Spec{Jar: mount(readBomb{dir})})
	var panicked *runtime.PanicError
	require.ErrorAs(t, err, &panicked)
	out, err := p.Run(ctx, runtime.Spec{Jar: mount(dir)})
	require.NoError(t, err, "others go on")
	require.Zero(t, out.ExitCode)
}
