// Command belljar runs WebAssembly programs under glass: hermetic,
// deterministic, recorded and replayable.
package main

import (
	"io"
	"os"
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main is the command as a function: arguments without the program's name,
// its streams, its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	cmd := a.root()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.Execute(); err != nil {
		return a.report(err)
	}
	return a.status
}
