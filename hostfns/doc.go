// Package hostfns is WASI preview 1 (wasi_snapshot_preview1), every function
// of it, on no engine. A function gets the guest's state, its memory as bytes
// and its arguments as words, and returns an errno; what binds those to an
// engine is a few lines in package runtime.
//
// What a guest sees is computed: time by [vclock.Clock], randomness by
// [choice.Stream], files by [vfs.FS]. What comes from outside, standard input,
// goes through the tape's deck, which is told of every call.
//
// A guest can hand over any pointer, length, count and descriptor. Each is
// checked before use, and a bad one is an errno: EFAULT for memory, EBADF for
// descriptors, EINVAL for the rest.
package hostfns
