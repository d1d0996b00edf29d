package runtime

import (
	"context"
	"encoding/binary"

	"github.com/seed48025506/belljar/hostfns"
)

// fakeEngine runs a Go func as the guest: a memory and words, no wasm. It
// shows that sessions, tapes and host functions need no engine.
type fakeEngine struct {
	main    func(*fakeGuest)
	memory  uint64
	imports []Import
}

func (e *fakeEngine) Name() string { return "fake" }

func (e *fakeEngine) Compile(context.Context, []byte, CompileOptions) (Module, error) { return e, nil }

func (e *fakeEngine) Close(context.Context) error { return nil }

func (e *fakeEngine) Imports() []Import { return e.imports }

func (e *fakeEngine) Exports(string, ExternKind) bool { return true }

func (e *fakeEngine) MinMemory() uint64 { return e.memory }

func (e *fakeEngine) Run(_ context.Context, g Guest, _ Limits) (u Usage, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil, fakeStop:
		case *TrapError:
			err = v
		default:
			panic(v)
		}
	}()
	e.main(&fakeGuest{guest: g, mem: make([]byte, 1<<16)})
	return u, nil
}

// fakeStop unwinds the fake guest.
type fakeStop struct{}

// fakeGuest is what a guest can do: call a host function by its name.
type fakeGuest struct {
	guest Guest
	mem   []byte
}

func (g *fakeGuest) call(name string, args ...uint64) uint64 {
	stack := append(args, 0)
	if g.guest.Call(hostfns.Lookup(hostfns.ModuleName, name), g.mem, stack) {
		panic(fakeStop{})
	}
	return stack[0]
}

func (g *fakeGuest) print(s string) {
	copy(g.mem[1024:], s)
	binary.LittleEndian.PutUint32(g.mem[0:], 1024)
	binary.LittleEndian.PutUint32(g.mem[4:], uint32(len(s)))
	g.call("fd_write", 1, 0, 1, 8)
}

// fakeWasm is a header and nothing else: what an engine that does not look
// will take.
var fakeWasm = []byte("\x00asm\x01\x00\x00\x00")
