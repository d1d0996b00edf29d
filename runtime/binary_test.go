package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzOutline(f *testing.F) {
	f.Add(fakeWasm)
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x02\x0b\x02\x01a\x01f\x00\x00\x01b\x01m\x02\x00\x01\x05\x03\x01\x00\x02"))
	f.Fuzz(func(t *testing.T, p []byte) {
		out, err := readOutline(p)
		if err == nil {
			require.LessOrEqual(t, len(out.imports), len(p))
		}
	})
}

func TestOutline(t *testing.T) {
	wasm := append([]byte(nil), fakeWasm...)
	wasm = append(wasm, 2, 23, 4) // imports
	wasm = append(wasm, 1, 'a', 1, 'f', 0, 0)
	wasm = append(wasm, 1, 'b', 1, 't', 1, 0x70, 0, 1)
	wasm = append(wasm, 1, 'c', 0, 3, 0x7f, 0)
	wasm = append(wasm, 0, 0, 2) // the last import lacks its limits
	_, err := readOutline(wasm)
	require.ErrorIs(t, err, errCut)

	wasm[9], wasm[10] = byte(len(wasm)-10), 3
	wasm = wasm[:len(wasm)-3]
	wasm[9] = byte(len(wasm) - 10)
	wasm = append(wasm, 5, 4, 1, 1, 2, 3) // a memory of 2 to 3 pages
	out, err := readOutline(wasm)
	require.NoError(t, err)
	require.Equal(t, uint64(2<<16), out.memory)
	require.Equal(t, []Import{
		{Module: "a", Name: "f", Kind: ExternFunc},
		{Module: "b", Name: "t", Kind: ExternTable},
		{Module: "c", Name: "", Kind: ExternGlobal},
	}, out.imports)
}
