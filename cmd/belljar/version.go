package main

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/cas/tape"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of belljar, its tape format and Go",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			_, err := fmt.Fprintf(a.stdout, "belljar %s, tape format %d.%d, %s %s/%s\n", version,
				tape.Major, tape.Minor, goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
			return err
		},
	}
}
