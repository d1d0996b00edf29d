package guests

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestEverySourceHasItsModule(t *testing.T) {
	for _, pattern := range []string{"wat/*.wat", "c/*.c", "demo/*.c"} {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) == 0 {
			t.Fatalf("%s: %v, %v", pattern, sources, err)
		}
		for _, src := range sources {
			p, err := os.ReadFile(src[:len(src)-len(filepath.Ext(src))] + ".wasm")
			if err != nil || !bytes.HasPrefix(p, []byte("\x00asm\x01\x00\x00\x00")) {
				t.Errorf("%s has no module beside it; run guests/build.sh (%v)", src, err)
			}
		}
	}
	for _, name := range Names() {
		Wasm(name)
	}
}
