package vfs

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func file(text string, mode fs.FileMode) *Side {
	return &Side{Type: TypeFile, Mode: mode, Size: int64(len(text)), Content: func() ([]byte, error) { return []byte(text), nil }}
}

func link(target string) *Side { return &Side{Type: TypeSymlink, Mode: 0o777, Target: target} }

var folder = &Side{Type: TypeDir, Mode: 0o755}

func change(path string, before, after *Side) Change {
	c := Change{Path: path, Kind: Modified, Before: before, After: after}
	if before == nil {
		c.Kind = Added
	} else if after == nil {
		c.Kind = Deleted
	}
	return c
}

// lay puts one side of changes on disk.
func lay(t require.TestingT, dir string, changes []Change, side func(Change) *Side) {
	for _, c := range changes {
		s, path := side(c), filepath.Join(dir, c.Path)
		if s == nil {
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch s.Type {
		case TypeSymlink:
			require.NoError(t, os.Symlink(s.Target, path))
		case TypeDir:
			require.NoError(t, os.MkdirAll(path, 0o755))
		default:
			p, err := s.Content()
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, p, 0o644))
			require.NoError(t, os.Chmod(path, s.Mode))
		}
	}
}

func before(c Change) *Side { return c.Before }
func after(c Change) *Side  { return c.After }

// gitTree is what git tracks of a directory.
func gitTree(t require.TestingT, dir string) map[string]string {
	tree := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			tree[rel] = "-> " + target
			return err
		}
		p, err := os.ReadFile(path)
		st, _ := d.Info()
		tree[rel] = st.Mode().String() + " " + string(p)
		return err
	}))
	return tree
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine: patches cannot be applied by it")
	}
}

// gitApplies checks that git makes after from before by the patch, and back.
func gitApplies(t require.TestingT, root string, changes []Change) {
	var patch bytes.Buffer
	require.NoError(t, Patch(&patch, changes))
	dir, want, old := filepath.Join(root, "tree"), filepath.Join(root, "want"), filepath.Join(root, "old")
	for _, d := range []string{dir, want, old} {
		require.NoError(t, os.MkdirAll(d, 0o755))
	}
	lay(t, dir, changes, before)
	lay(t, old, changes, before)
	lay(t, want, changes, after)
	if patch.Len() > 0 {
		apply(t, dir, patch.String())
	}
	require.Equal(t, gitTree(t, want), gitTree(t, dir), patch.String())
	if patch.Len() > 0 {
		apply(t, dir, patch.String(), "-R")
	}
	require.Equal(t, gitTree(t, old), gitTree(t, dir), "backwards: "+patch.String())
}

func apply(t require.TestingT, dir, patch string, flags ...string) {
	cmd := exec.Command("git", append([]string{"apply", "--whitespace=nowarn"}, flags...)...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, patch)
}

func TestPatchesApplyWithGit(t *testing.T) {
	needGit(t)
	long := strings.Repeat("line\n", 100)
	gitApplies(t, t.TempDir(), []Change{
		change("added", nil, file("one\ntwo\n", 0o644)),
		change("binary", file("a\x00b", 0o644), file("a\x00c\xff"+long, 0o644)),
		change("binary new", nil, file("\x00\x01\x02", 0o644)),
		change("binary gone", file("\x00", 0o644), nil),
		change("crlf", file("a\r\nb\r\n", 0o644), file("a\r\nc\r\n", 0o644)),
		change("d", folder, nil),
		change("d/gone", file("x\n", 0o644), nil),
		change("empty new", nil, file("", 0o644)),
		change("empty gone", file("", 0o644), nil),
		change("exec", file("#!\n", 0o644), file("#!\n", 0o755)),
		change("exec text", file("#!\n", 0o755), file("#!x\n", 0o644)),
		change("hunks", file("x\n"+long+"y\n", 0o644), file("X\n"+long+"Y\n", 0o644)),
		change("link", nil, link("added")),
		change("link moved", link("a"), link("b")),
		change("newline gained", file("a\nb", 0o644), file("a\nb\n", 0o644)),
		change("newline lost", file("a\nb\n", 0o644), file("a\nb", 0o644)),
		change("no newline", file("a", 0o644), file("b", 0o644)),
		change("odd \"q\"\t\\\n name", file("1\n", 0o644), file("2\n", 0o644)),
		change("type", file("text\n", 0o644), link("t")),
		change("ünï", nil, file("ü\n", 0o644)),
	})
}

func TestAnyPatchApplies(t *testing.T) {
	needGit(t)
	root := t.TempDir()
	n := 0
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "long line\n", "x", "\r\n", "--- a\n", "\x00"}), 0, 12)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		side := func(label string) *Side {
			if rapid.IntRange(0, 3).Draw(rt, label) == 0 {
				return nil
			}
			return file(strings.Join(text.Draw(rt, label), ""), rapid.SampledFrom([]fs.FileMode{0o644, 0o755}).Draw(rt, label))
		}
		var changes []Change
		for _, name := range []string{"a", "b c", "d/e"} {
			if b, a := side("before"), side("after"); b != nil || a != nil {
				changes = append(changes, change(name, b, a))
			}
		}
		dir := filepath.Join(root, "case")
		defer os.RemoveAll(dir)
		gitApplies(rt, dir, changes)
	})
}

func TestApply(t *testing.T) {
	changes := []Change{
		change("d", nil, folder),
		change("d/new", nil, file("new\n", 0o600)),
		change("gone", folder, nil),
		change("gone/x", file("x", 0o644), nil),
		change("mod", file("1", 0o644), file("2", 0o755)),
		change("type", file("text\n", 0o644), link("mod")),
	}
	dir := t.TempDir()
	lay(t, dir, changes, before)
	was := gitTree(t, dir)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "mod"), []byte("other"), 0o644))
	err := Apply(dir, changes)
	var conflict *ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, []string{"mod"}, conflict.Paths)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mod"), []byte("1"), 0o644))
	require.Equal(t, was, gitTree(t, dir))

	// A file where a directory must be fails in the middle: all is put back.
	broken := append(append([]Change(nil), changes...), change("type/below", nil, file("x", 0o644)))
	require.Error(t, Apply(dir, broken))
	require.Equal(t, was, gitTree(t, dir))

	require.NoError(t, Apply(dir, changes))
	require.Equal(t, map[string]string{
		"d/new": "-rw------- new\n", "mod": "-rwxr-xr-x 2", "type": "-> mod",
	}, gitTree(t, dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "nothing of the stage is left")
}

func TestApplyCannotLeave(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	require.Error(t, Apply(dir, []Change{change("out/file", nil, file("x", 0o644))}))
	require.Error(t, Apply(dir, []Change{change("../file", nil, file("x", 0o644))}))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestSummary(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Summary(&b, []Change{
		change("a", nil, folder), change("b", file("", 0), link("x")), change("c", file("", 0), nil)}))
	require.Equal(t, "A a\nT b\nD c\n1 added, 1 modified, 1 deleted\n", b.String())
}
