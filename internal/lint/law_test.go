package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed48025506/belljar"

// floors gives every package its height. An import goes to a lower floor, or
// it breaks the law; packages below a folder named here share its floor.
var floors = map[string]int{
	"internal/errno":   0,
	"internal/codec":   0,
	"internal/choice":  0,
	"internal/rewrite": 0,
	"internal/pages":   0,
	"cas":              0,
	"guests":           0,
	"cas/castest":      0,
	"cas/tape":         1,
	"vclock":           2,
	"vfs":              2,
	"proctape":         2,
	"hostfns":          3,
	"linuxfallback":    3,
	"runtime":          4,
	"cmd/belljar":      5,
	"":                 5, // bench_test.go
	"internal/lint":    5,
}

// within lists the one import inside a floor that is allowed: the test suite
// of a package may import it.
var within = map[string]string{"cas/castest": "cas"}

// keepers says which packages alone may import a library.
var keepers = map[string][]string{
	"github.com/tetratelabs/wazero": {"runtime", ""},
	"github.com/fxamacker/cbor":     {"internal/codec"},
	"golang.org/x/sys/unix":         {"linuxfallback", "internal/pages"},
	"github.com/landlock-lsm":       {"linuxfallback"},
	"golang.org/x/net/bpf":          {"linuxfallback"},
	"github.com/spf13":              {"cmd/belljar"},
}

// topLevel is every entry that the root may hold, beside dotfiles.
var topLevel = strings.Fields(`go.mod go.sum README.md LICENSE bench_test.go runtime hostfns
	vclock vfs proctape linuxfallback cas guests cmd internal docs`)

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Module                             *struct{ Path string }
}

func TestImportLaw(t *testing.T) {
	for _, p := range list(t) {
		from := short(p.ImportPath)
		_, known := floorOf(from)
		require.True(t, known, "package %s has no floor: give it one in internal/lint, or fold it into a package that has", from)
		for _, imp := range p.Imports {
			require.NoError(t, edge(from, imp))
		}
		for _, imp := range append(p.TestImports, p.XTestImports...) {
			require.NoError(t, keeper(from, imp))
		}
	}
}

// edge says what is wrong with one package importing another.
func edge(from, imp string) error {
	if err := keeper(from, imp); err != nil {
		return err
	}
	if imp != module && !strings.HasPrefix(imp, module+"/") {
		return nil
	}
	to := short(imp)
	low, ok := floorOf(to)
	if !ok {
		return fmt.Errorf("%s imports %s, which has no floor", from, to)
	}
	high, _ := floorOf(from)
	if low >= high && within[from] != to {
		return fmt.Errorf("%s (floor %d) imports %s (floor %d): imports go downward only", from, high, to, low)
	}
	return nil
}

func keeper(from, imp string) error {
	for lib, who := range keepers {
		if imp != lib && !strings.HasPrefix(imp, lib+"/") {
			continue
		}
		for _, w := range who {
			if from == w {
				return nil
			}
		}
		return fmt.Errorf("%s imports %s: only %q may", from, imp, who)
	}
	return nil
}

func floorOf(name string) (int, bool) {
	for {
		if f, ok := floors[name]; ok {
			return f, true
		}
		parent := filepath.ToSlash(filepath.Dir(name))
		if parent == "." || parent == "internal" {
			return 0, false
		}
		name = parent
	}
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		pkgs = append(pkgs, p)
	}
	require.NotEmpty(t, pkgs)
	return pkgs
}

// The law itself is tested: a law that passes everything is no law.
func TestTheLawCatches(t *testing.T) {
	for _, bad := range [][2]string{
		{"vfs", module + "/vclock"},
		{"cas", module + "/cas/tape"},
		{"hostfns", module + "/runtime"},
		{"hostfns", "github.com/tetratelabs/wazero/api"},
		{"cas/tape", "github.com/fxamacker/cbor/v2"},
		{"vfs", "golang.org/x/sys/unix"},
		{"runtime", module + "/nowhere"},
	} {
		require.Error(t, edge(bad[0], bad[1]), "%s -> %s", bad[0], bad[1])
	}
	require.NoError(t, edge("runtime", module+"/hostfns"))
}

func TestTopLevelEntries(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	require.NoError(t, err)
	allowed := map[string]bool{}
	for _, e := range topLevel {
		allowed[e] = true
	}
	var odd []string
	for _, e := range entries {
		if !allowed[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
			odd = append(odd, e.Name())
		}
	}
	sort.Strings(odd)
	require.Empty(t, odd, "the design names no such top-level entries")
}
