// Package vclock is a session's time: virtual by default, real when asked.
//
// Virtual time moves for four reasons and no other: the guest waits, the host
// advances it, a fixed tick per read, or the spinning rule.
//
// # The spinning rule
//
// Some guests never wait in a host call: a Go guest that uses os/signal loops
// on sched_yield and clock reads. So every clock read counts 1 and every yield
// 64, and any other host call sets the count to 0. When the count reaches
// 4096, virtual time steps and the count starts again. The first step goes to
// 1 ms after the moment at which the spinning began; later ones follow a
// ladder measured from that moment, so that waits which people write (50 ms,
// 1.5 s, 1 h, 24 h) are hit exactly:
//
//	up to   1 s   steps of   1 ms
//	up to  10 s   steps of  10 ms
//	up to 100 s   steps of 100 ms
//	up to 1000 s  steps of   1 s
//	up to 10000 s steps of  10 s
//	beyond        steps of 100 s
//
// The rule depends on nothing but the guest's own calls, so it is the same in
// every run and on every machine.
package vclock
