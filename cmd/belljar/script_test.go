package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed48025506/belljar/guests"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"belljar": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// status runs belljar and compares its exit status: status N ARGS...
func status(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("belljar", args[1:]...)
	got := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = fmt.Sprint(exit.ExitCode())
	}
	if (got == args[0]) == neg {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// flip inverts a bit of a file: flip FILE OFFSET
func flip(ts *testscript.TestScript, _ bool, args []string) {
	p, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	var at int
	_, err = fmt.Sscan(args[1], &at)
	ts.Check(err)
	p[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), p, 0o644))
}

// cut keeps the first bytes of a file: cut FILE LENGTH
func cut(ts *testscript.TestScript, _ bool, args []string) {
	var n int64
	_, err := fmt.Sscan(args[1], &n)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "flip": flip, "cut": cut},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			for _, name := range guests.Names() {
				if err := os.WriteFile(env.WorkDir+"/"+name+".wasm", guests.Wasm(name), 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

func TestDemoNeedsNothing(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main([]string{"demo"}, nil, &out, &errs); code != 0 {
		t.Fatalf("status %d\n%s\n%s", code, &out, &errs)
	}
	if !bytes.Contains(out.Bytes(), []byte("All of it held.")) {
		t.Fatal(out.String())
	}
}
