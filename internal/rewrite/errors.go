package rewrite

import "fmt"

// SyntaxError says where bytes are no module that this package reads.
type SyntaxError struct {
	Offset int    // in the bytes given to Decode
	Text   string // what is wrong there
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("rewrite: malformed module at byte %d: %s", e.Offset, e.Text)
}

// UnsupportedError says that a module uses a proposal which is not enabled.
type UnsupportedError struct {
	Offset   int
	Proposal string // as the WebAssembly community calls it
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("rewrite: the module uses %s (at byte %d), which is not enabled; compile it without", e.Proposal, e.Offset)
}
