package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed48025506/belljar/runtime"
)

// dirFlag collects --dir and --dir-ro into one list, in the order of the
// command line: it is the order in which the guest gets its descriptors.
type dirFlag struct {
	to       *[]runtime.Mount
	readOnly bool
}

func (dirFlag) String() string { return "" }

// Type is what help prints after the flag's name.
func (dirFlag) Type() string { return "HOST[:GUEST]" }

// Set adds a directory, unless another one is at its guest path.
func (f dirFlag) Set(v string) error {
	host, guest, err := splitDir(v, len(filepath.VolumeName(v)))
	if err != nil {
		return err
	}
	for _, m := range *f.to {
		if sameGuest(m.Guest, guest) {
			return fmt.Errorf("%s is at %s already; give this one another place, as in %s:/other",
				m.Host, path.Clean("/"+guest), host)
		}
	}
	*f.to = append(*f.to, runtime.Mount{Host: host, Guest: guest, ReadOnly: f.readOnly})
	return nil
}

func sameGuest(a, b string) bool { return path.Clean("/"+a) == path.Clean("/"+b) }

// splitDir splits HOST[:GUEST] at the last colon after the volume name, so
// that a drive letter's colon is none.
func splitDir(v string, volume int) (host, guest string, err error) {
	host = v
	if i := strings.LastIndex(v[volume:], ":"); i >= 0 {
		host, guest = v[:volume+i], v[volume+i+1:]
		if guest == "" {
			return "", "", errors.New("there is no guest path after the colon")
		}
	}
	if host == "" {
		return "", "", errors.New("there is no host directory; use . for the one you are in")
	}
	return host, guest, nil
}
