package rewrite_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/internal/rewrite"
)

func decode(t testing.TB, wasm []byte) *rewrite.Module {
	t.Helper()
	m, err := rewrite.Decode(wasm)
	require.NoError(t, err)
	return m
}

// all are the modules of the tests: by hand, from C, and from Go.
func all(t testing.TB) map[string][]byte {
	list := map[string][]byte{}
	for _, name := range guests.Names() {
		list[name] = guests.Wasm(name)
	}
	list["go hello"] = guests.Build(t, "hello")
	return list
}

func TestIdentity(t *testing.T) {
	for name, wasm := range all(t) {
		m := decode(t, wasm)
		again := decode(t, m.Encode())
		for i := range again.Code {
			again.Code[i].Offset = m.Code[i].Offset // it moves with the length of numbers
		}
		require.Equal(t, m, again, name)
		require.Equal(t, decode(t, wasm).Encode(), m.Encode(), name)
	}
}

// The shortest encoding is what compilers write, so nothing is lost: the
// identity pass gives their bytes back.
func TestIdentityOfBytes(t *testing.T) {
	for _, name := range []string{"clockloop", "trap", "read64"} {
		wasm := guests.Wasm(name)
		require.True(t, bytes.Equal(wasm, decode(t, wasm).Encode()), name)
	}
}

func TestDamage(t *testing.T) {
	wasm := guests.Wasm("demo")
	whole := 0
	for n := range len(wasm) {
		if _, err := rewrite.Decode(wasm[:n]); err == nil {
			whole++
		}
	}
	require.Less(t, whole, 13, "only a cut between two sections can leave a module")
	for what, c := range map[string]struct {
		wasm string
		want string
	}{
		"nothing":        {"", "magic number"},
		"version 2":      {"\x00asm\x02\x00\x00\x00", "version 1"},
		"component":      {"\x00asm\x0d\x00\x01\x00", "component model"},
		"unknown":        {"\x0e\x00", "section 14"},
		"order":          {"\x03\x01\x00\x01\x01\x00", "section 1 is unknown or out of order"},
		"twice":          {"\x01\x01\x00\x01\x01\x00", "section 1"},
		"too long":       {"\x01\x02\x00\x00", "1 bytes too many"},
		"too short":      {"\x01\x05\x01\x60", "5 bytes are announced, 2 are left"},
		"false count":    {"\x01\x05\xff\xff\xff\xff\x0f", "items are announced"},
		"long number":    {"\x01\x06\xff\xff\xff\xff\xff\x00", "too long"},
		"no code":        {"\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", "1 functions are declared, 0 have code"},
		"tag":            {"\x0d\x03\x01\x00\x00", "exception handling"},
		"struct":         {"\x01\x03\x01\x5f\x00", "garbage collection"},
		"memory64":       {"\x05\x03\x01\x04\x00", "memory64"},
		"shared":         {"\x05\x04\x01\x03\x00\x01", "threads"},
		"tail call":      {"\x0a\x06\x01\x04\x00\x12\x00\x0b", "tail calls"},
		"atomics":        {"\x0a\x07\x01\x05\x00\xfe\x03\x00\x0b", "threads"},
		"relaxed":        {"\x0a\x08\x01\x06\x00\xfd\x80\x02\x0b\x0b", "relaxed SIMD"},
		"two memories":   {"\x0a\x08\x01\x06\x00\x28\x40\x00\x00\x0b", "several memories"},
		"no instruction": {"\x0a\x05\x01\x03\x00\xff\x0b", "0xff is no instruction"},
		"no end":         {"\x0a\x04\x01\x02\x00\x01", "ends in the middle"},
		"many locals":    {"\x0a\x0a\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b", "locals"},
	} {
		wasm := c.wasm
		if len(wasm) > 0 && wasm[0] != 0 {
			wasm = "\x00asm\x01\x00\x00\x00" + wasm
		}
		_, err := rewrite.Decode([]byte(wasm))
		require.ErrorContains(t, err, c.want, what)
	}
}

func TestAddImportMovesFunctions(t *testing.T) {
	m := decode(t, guests.Build(t, "hello"))
	start := exported(t, m, "_start")
	before := names(m)
	at := m.AddImport("x", "y", rewrite.FuncType{Params: []rewrite.ValueType{rewrite.I64}})
	require.Equal(t, start+1, exported(t, m, "_start"))
	require.Equal(t, "y", m.Imports[len(m.Imports)-1].Name)
	require.Greater(t, start, at)
	require.NotNil(t, before)
	require.NotEqual(t, before, names(m), "the names moved too")
	again := decode(t, m.Encode())
	require.Equal(t, len(m.Code), len(again.Code))
}

func exported(t *testing.T, m *rewrite.Module, name string) uint32 {
	for _, e := range m.Exports {
		if e.Name == name {
			return e.Index
		}
	}
	t.Fatalf("no export %q", name)
	return 0
}

func names(m *rewrite.Module) []byte {
	for _, c := range m.Customs {
		if c.Name == "name" {
			return c.Bytes
		}
	}
	return nil
}

func TestNamesOfExportsDoNotClash(t *testing.T) {
	m := decode(t, guests.Wasm("demo"))
	first := m.AddFuel()
	second := m.AddExport(first, rewrite.KindGlobal, 0)
	require.NotEqual(t, first, second)
}

// FuzzDecode takes any bytes apart, passes what it can read, and puts it
// together again.
func FuzzDecode(f *testing.F) {
	for _, name := range guests.Names() {
		if wasm := guests.Wasm(name); len(wasm) < 4096 {
			f.Add(wasm)
		}
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		m, err := rewrite.Decode(p)
		if err != nil {
			return
		}
		again := decode(t, m.Encode())
		require.Equal(t, len(m.Code), len(again.Code))
		m.AddFuel()
		m.CanonicalNaN()
		decode(t, m.Encode())
	})
}

func BenchmarkAddFuel(b *testing.B) {
	wasm := guests.Build(b, "compute")
	if name := os.Getenv("WASM"); name != "" {
		var err error
		wasm, err = os.ReadFile(name)
		require.NoError(b, err)
	}
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		m := decode(b, wasm)
		m.AddFuel()
		m.Encode()
	}
}

func TestLiftData(t *testing.T) {
	expr := func(p ...byte) []byte { return append(append([]byte{0x41}, p...), 0x0b) }
	module := func(data ...rewrite.Data) *rewrite.Module {
		return &rewrite.Module{Memories: []rewrite.Limits{{Min: 1}}, Data: data}
	}
	m := module(
		rewrite.Data{Offset: expr(2), Bytes: []byte("abcd")},
		rewrite.Data{Flags: 1, Bytes: []byte("passive")},
		rewrite.Data{Flags: 2, Offset: expr(4), Bytes: []byte("XY")},
		rewrite.Data{Offset: expr(0xfe, 0xff, 0x03), Bytes: []byte("!!")}, // 65534
	)
	four := uint32(4)
	m.DataCount = &four
	image := m.LiftData()
	require.Len(t, image, 1<<16)
	require.Equal(t, "\x00\x00abXY\x00", string(image[:7]))
	require.Equal(t, "!!", string(image[65534:]))
	require.Len(t, m.Data, 4)
	require.Equal(t, "passive", string(m.Data[1].Bytes))
	require.Equal(t, rewrite.Data{Flags: 1}, m.Data[2])

	for what, m := range map[string]*rewrite.Module{
		"nothing":   module(),
		"too far":   module(rewrite.Data{Offset: expr(0xff, 0xff, 0x03), Bytes: []byte("!!")}),
		"negative":  module(rewrite.Data{Offset: expr(0x7f), Bytes: []byte("!")}),
		"no const":  module(rewrite.Data{Offset: []byte{0x23, 0, 0x0b}, Bytes: []byte("!")}),
		"no memory": {Data: []rewrite.Data{{Offset: expr(0), Bytes: []byte("!")}}},
		"not its own": {Imports: []rewrite.Import{{Kind: rewrite.KindMemory}},
			Data: []rewrite.Data{{Offset: expr(0), Bytes: []byte("!")}}},
	} {
		before := len(m.Data)
		require.Nil(t, m.LiftData(), what)
		require.Len(t, m.Data, before)
		for _, d := range m.Data {
			require.NotEmpty(t, d.Bytes, what)
		}
	}
}
