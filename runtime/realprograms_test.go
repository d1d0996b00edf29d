package runtime_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

func goTool(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	return tool(t, dir, "go", args...)
}

func tool(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v: %s", name, args, stderr.String())
	return out
}

// uglyTree copies net/http's top folder and spoils the layout of some files.
func uglyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(strings.TrimSpace(string(goTool(t, "", "env", "GOROOT"))), "src", "net", "http")
	files, err := filepath.Glob(filepath.Join(src, "*.go"))
	require.NoError(t, err)
	sort.Strings(files)
	require.Greater(t, len(files), 50)
	for i, f := range files {
		p, err := os.ReadFile(f)
		require.NoError(t, err)
		if i%5 == 0 {
			p = bytes.ReplaceAll(p, []byte("\n\t"), []byte("\n    "))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(f)), p, 0o644))
	}
	return dir
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		p, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		tree[e.Name()] = string(p)
	}
	return tree
}

func copyTree(t *testing.T, tree map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// gofmt -w under glass: the host's files stay, the diff is what native gofmt
// does, and the tape replays when the tree is gone.
func TestGofmtOverACopyOnWriteTree(t *testing.T) {
	ctx := context.Background()
	rt, prog := compileStd(t, "cmd/gofmt")
	dir := uglyTree(t)
	before := readTree(t, dir)
	native := copyTree(t, before)
	tool(t, native, "gofmt", "-w", ".")

	tapePath := filepath.Join(t.TempDir(), "run.tape")
	out, err := prog.Run(ctx, runtime.Spec{
		Name: "gofmt", Args: []string{"-w", "-l", "/src"},
		Jar: runtime.Jar{Tape: tapePath, Mounts: []runtime.Mount{{Host: dir, Guest: "/src"}}},
	})
	require.NoError(t, err)
	require.Zero(t, out.ExitCode, "%s", out.Stderr)
	require.Equal(t, before, readTree(t, dir), "the host's files were touched")
	require.NotEmpty(t, out.Report.Changes)

	var patch bytes.Buffer
	require.NoError(t, vfs.Patch(&patch, out.Report.Changes))
	applied := copyTree(t, before)
	patchFile := filepath.Join(t.TempDir(), "change.patch")
	require.NoError(t, os.WriteFile(patchFile, patch.Bytes(), 0o644))
	tool(t, applied, "git", "apply", "-p2", patchFile) // a/src/name
	require.Equal(t, readTree(t, native), readTree(t, applied), "git apply gives what native gofmt -w gives")

	require.NoError(t, os.RemoveAll(dir))
	outs, err := rt.Replay(ctx, runtime.ReplaySpec{Tape: tapePath})
	require.NoError(t, err)
	require.Equal(t, out.Stdout, outs[0].Stdout)
	require.Equal(t, out.Report.Sum, outs[0].Report.Sum)
	var again bytes.Buffer
	require.NoError(t, vfs.Patch(&again, outs[0].Report.Changes))
	require.Equal(t, patch.String(), again.String(), "the replay makes the same patch without the tree")
}

// compileStd compiles a command of the Go distribution.
func compileStd(t *testing.T, name string) (*runtime.Runtime, *runtime.Program) {
	t.Helper()
	rt := newRuntime(t)
	prog, err := rt.Compile(context.Background(), guests.BuildStd(t, name))
	require.NoError(t, err)
	return rt, prog
}

// cmd/compile makes the same object file as the native compiler.
func TestCompileAsmVetAndNm(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n\nfunc Add(a, b int) int { return a + b }\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.s"), []byte("#include \"textflag.h\"\nTEXT ·nothing(SB), NOSPLIT, $0\n\tRET\n"), 0o644))
	include := filepath.Join(strings.TrimSpace(string(goTool(t, "", "env", "GOROOT"))), "pkg", "include")
	env := []string{"GOOS=linux", "GOARCH=" + goruntime.GOARCH, "PWD=/w"}

	rt, compile := compileStd(t, "cmd/compile")
	s, err := rt.NewSession(ctx, runtime.Jar{Mounts: []runtime.Mount{
		{Host: dir, Guest: "/w"}, {Host: include, Guest: "/include", ReadOnly: true},
	}})
	require.NoError(t, err)
	defer s.Close()
	run := func(p *runtime.Program, name string, args ...string) []byte {
		out, err := s.Run(ctx, p, runtime.Spec{Name: name, Args: args, Env: env})
		require.NoError(t, err)
		require.Zero(t, out.ExitCode, "%s %v: %s%s", name, args, out.Stdout, out.Stderr)
		return out.Stdout
	}
	run(compile, "compile", "-p=p", "-trimpath=/w=>.", "-o", "/w/p.o", "/w/p.go")
	asm, err := rt.Compile(ctx, guests.BuildStd(t, "cmd/asm"))
	require.NoError(t, err)
	run(asm, "asm", "-p=p", "-I", "/include", "-trimpath=/w=>.", "-o", "/w/a.o", "/w/a.s")
	nm, err := rt.Compile(ctx, guests.BuildStd(t, "cmd/nm"))
	require.NoError(t, err)
	require.Contains(t, string(run(nm, "nm", "/w/p.o")), "p.Add")

	object, err := s.Tree().ReadFile("w/p.o")
	require.NoError(t, err)
	cmd := exec.Command("go", "tool", "compile", "-p=p", "-trimpath="+dir+"=>.", "-o", filepath.Join(dir, "native.o"), filepath.Join(dir, "p.go"))
	cmd.Env = append(os.Environ(), "GOOS=linux")
	msg, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", msg)
	native, err := os.ReadFile(filepath.Join(dir, "native.o"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(native, object), "the object file differs from the native compiler's: %d and %d bytes", len(object), len(native))
}

func TestVetStarts(t *testing.T) {
	_, vet := compileStd(t, "cmd/vet")
	out, err := vet.Run(context.Background(), runtime.Spec{Name: "vet", Args: []string{"-flags"}})
	require.NoError(t, err)
	require.Zero(t, out.ExitCode, "%s", out.Stderr)
	require.Contains(t, string(out.Stdout), "printf")
}
