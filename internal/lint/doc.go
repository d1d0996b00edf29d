// Package lint holds the import law of the repository as a test: which
// package may import which, and who alone may import a library. There is no
// code in it.
package lint
