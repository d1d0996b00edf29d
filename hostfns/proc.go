package hostfns

import (
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
)

// procExit ends the guest with an exit code, all 32 bits of it.
func procExit(g *Guest, p []uint64) errno.Errno {
	g.exit(uint32(p[0]))
	return errno.OK
}

func (g *Guest) exit(code uint32) {
	g.stop, g.exited, g.code = true, true, code
}

// lastSignal is the highest signal of the specification, sys.
const lastSignal = 30

// procRaise ends the guest as that signal does by default, with the exit code
// 128 plus its number, as shells say it. Signal 0 does nothing, as do those
// that are ignored by default. EINVAL: no such signal.
func procRaise(g *Guest, p []uint64) errno.Errno {
	switch sig := p[0]; {
	case sig > lastSignal:
		return errno.EINVAL
	case sig == 0 || sig == 16 || sig == 17 || sig == 22 || sig == 27: // none, chld, cont, urg, winch
		return errno.OK
	default:
		g.exit(128 + uint32(sig))
		return errno.OK
	}
}

// schedYield lets others run. There are none; the clock hears of it, since a
// guest that yields and yields waits for time to pass.
func schedYield(g *Guest, _ []uint64) errno.Errno { return g.yield() }

// yield tells the clock that the guest waits without saying for what.
func (g *Guest) yield() errno.Errno {
	if err := g.cfg.Clock.Yield(); err != nil {
		return g.abort(err)
	}
	return g.inTime()
}

// randomGet fills a buffer from the session's seed. EFAULT: it is not within
// the memory.
func randomGet(g *Guest, p []uint64) errno.Errno {
	buf, e := g.bytes(p[0], p[1])
	if e != errno.OK {
		return e
	}
	g.cfg.Random.Fill(buf)
	g.cfg.Deck.MarkBytes(tape.CodeRandom, 0, buf)
	return errno.OK
}

// sockAccept, sockRecv, sockSend and sockShutdown find no sockets: there is no
// network under glass, and nothing preopens one. EBADF: no such descriptor.
// ENOTSOCK: it is none.
func sockAccept(g *Guest, p []uint64) errno.Errno   { return g.noSocket(p[0]) }
func sockRecv(g *Guest, p []uint64) errno.Errno     { return g.noSocket(p[0]) }
func sockSend(g *Guest, p []uint64) errno.Errno     { return g.noSocket(p[0]) }
func sockShutdown(g *Guest, p []uint64) errno.Errno { return g.noSocket(p[0]) }

func (g *Guest) noSocket(fd uint64) errno.Errno {
	if g.fds.get(fd) == nil {
		return errno.EBADF
	}
	return errno.ENOTSOCK
}
