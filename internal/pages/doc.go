// Package pages gives guests their memories: address space reserved once, so
// that growing copies nothing, over an image that is shared until it is
// written to, so that a new memory costs no more than the pages it changes.
//
// That is had on Linux. Elsewhere a memory is a slice of Go's and an image is
// copied; what a guest sees is the same.
package pages
