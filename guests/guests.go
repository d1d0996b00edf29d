// Package guests holds the programs that run under glass in tests, benchmarks
// and the demo. Those in Go are compiled by the local toolchain when a test
// asks for them; the others, in C and in the WebAssembly text format, lie
// compiled beside their source and are built by build.sh.
package guests

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

//go:embed wat/*.wasm c/*.wasm demo/*.wasm
var compiled embed.FS

// Wasm returns the committed module of that name: "demo", or the name of a
// file in wat or c without its ending. It panics if there is none, which a
// test finds at once.
func Wasm(name string) []byte {
	for _, dir := range []string{"wat", "c", "demo"} {
		if p, err := compiled.ReadFile(dir + "/" + name + ".wasm"); err == nil {
			return p
		}
	}
	panic("guests: there is no module " + name)
}

// Names lists the committed modules.
func Names() []string {
	paths, _ := fs.Glob(compiled, "*/*.wasm") // the pattern is good
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(p[strings.Index(p, "/")+1:], ".wasm")
	}
	return paths
}

// TB is the part of testing.TB that building needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Build returns the guest in the folder go/name, compiled for wasip1.
func Build(tb TB, name string) []byte {
	tb.Helper()
	_, here, _, _ := goruntime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "go", name)
	source, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		tb.Fatalf("guests: %v", err)
	}
	return build(tb, dir, ".", source)
}

// BuildStd returns a command of the Go distribution, such as "cmd/gofmt",
// compiled for wasip1.
func BuildStd(tb TB, pkg string) []byte {
	tb.Helper()
	return build(tb, ".", pkg, nil)
}

// build compiles a package, or takes it from the user's cache, where it lies
// under a digest of its source and the toolchain's version.
func build(tb TB, dir, pkg string, source []byte) []byte {
	tb.Helper()
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		tb.Fatalf("guests: go env: %v", err)
	}
	key := sha256.Sum256(bytes.Join([][]byte{version, []byte(pkg), source}, []byte{0}))
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	path := filepath.Join(cache, "belljar", "guests", fmt.Sprintf("%x.wasm", key))
	if wasm, err := os.ReadFile(path); err == nil && bytes.HasPrefix(wasm, []byte("\x00asm")) {
		return wasm
	}
	wasm, err := compile(dir, pkg, path)
	if err != nil {
		tb.Fatalf("guests: build %s in %s: %v", pkg, dir, err)
	}
	return wasm
}

// compile puts the module at path, whole or not at all.
func compile(dir, pkg, path string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(path), "build")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "out.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, msg)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return wasm, os.Rename(out, path)
}
