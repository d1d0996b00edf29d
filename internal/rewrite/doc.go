// Package rewrite changes WebAssembly modules before they are compiled. What
// engines hide or charge too much for is had this way, on any engine: points
// at which a guest can be stopped and metered, NaN bits that are the same
// everywhere, memory images instead of copied data.
//
// A pass is a pure function on a [Module]: bytes are taken apart by [Decode],
// passes are applied one after another, and [Module.Encode] puts the result
// together. A pass that needs to tell of what it added returns that. The
// package knows no engine and validates no types: an engine refuses what is
// invalid, before or after.
//
// It reads the WebAssembly 2.0 core format, which is what the engines admit:
// anything of a later proposal is an error that names the proposal.
package rewrite
