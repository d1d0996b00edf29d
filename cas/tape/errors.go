package tape

import (
	"fmt"
	"strconv"
)

// VersionError refuses a tape of another major version.
type VersionError struct{ Major, Minor uint16 }

func (e *VersionError) Error() string {
	if e.Major < Major {
		return fmt.Sprintf("tape: the tape is version %d.%d, this belljar reads %d.x only; record again",
			e.Major, e.Minor, Major)
	}
	return fmt.Sprintf("tape: the tape is version %d.%d, this belljar reads up to %d.x; upgrade belljar to read it",
		e.Major, e.Minor, Major)
}

// CorruptError is a tape whose bytes are not what was written.
type CorruptError struct {
	Offset int64 // bytes from the start of the tape, where the bad part begins
	What   string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("tape: corrupt at byte %d: %s; restore the tape from a copy or record again", e.Offset, e.What)
}

// IncompleteError is a tape that was cut off, or whose recorder did not come
// to its end.
type IncompleteError struct {
	Offset int64 // where what can be read ends
	Frames int   // whole frames before it
	Torn   bool  // there are bytes of a further frame
}

func (e *IncompleteError) Error() string {
	how := "it has no end record"
	switch {
	case e.Torn:
		how = "its last frame is torn"
	case e.Offset == 0:
		how = "it is empty"
	}
	return fmt.Sprintf("tape: incomplete at byte %d after %d whole frame(s): %s; the recorder was stopped or the file was cut, record again",
		e.Offset, e.Frames, how)
}

// DivergenceError is a run that is not the one on the tape.
type DivergenceError struct {
	Seq       uint64 // the record on the tape, from 1; one more than there are, past the end
	Events    uint64 // answers and marks of the run before it
	Kind      string // what differs: "question", "answer", "program", "exit code", "rolling sum", …
	Want, Got string // the tape's and the run's, in words
}

func (e *DivergenceError) Error() string {
	return fmt.Sprintf("tape: divergence at record %d, after %d events, %s: the tape has %s, the run has %s; give the run what it was recorded with, or record again",
		e.Seq, e.Events, e.Kind, e.Want, e.Got)
}

// show makes bytes readable in a message, and short.
func show(p []byte) string {
	const most = 80
	s := strconv.Quote(string(p))
	if len(s) > most {
		return fmt.Sprintf("%s… (%d bytes)", s[:most], len(p))
	}
	return s
}
