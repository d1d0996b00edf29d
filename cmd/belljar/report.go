package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/runtime"
)

// report prints one line, what failed and why, and returns the status for it.
// A trap's stack is worth its lines.
func (a *app) report(err error) int {
	err = cause(err)
	text := strings.TrimSpace(err.Error())
	var trap *runtime.TrapError
	if !errors.As(err, &trap) {
		text = strings.ReplaceAll(text, "\n", "; ")
	}
	fmt.Fprintf(a.stderr, "belljar: %s\n", text)
	var limit *runtime.LimitError
	var diverged *tape.DivergenceError
	switch {
	case errors.As(err, &limit) && limit.Limit == runtime.LimitTimeout:
		return statusTimeout
	case errors.As(err, &diverged):
		return statusDiverged
	}
	return statusFailed
}

// cause picks the error to report of several that were joined: the first, for
// the others often follow from it, as a tape that is not played to its end
// does from a missing payload. But a guest's own end causes nothing, and
// yields to a failure of the jar.
func cause(err error) error {
	list := joined(err)
	for _, e := range list {
		if !guestEnd(e) {
			return e
		}
	}
	return list[0]
}

// joined takes errors.Join apart. An error that wraps several but has words of
// its own stays whole.
func joined(err error) []error {
	j, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var list []error
	var words []string
	for _, e := range j.Unwrap() {
		list = append(list, joined(e)...)
		words = append(words, e.Error())
	}
	if err.Error() != strings.Join(words, "\n") {
		return []error{err}
	}
	return list
}

// guestEnd reports whether an error is how a program ended, which a tape
// holds, and not something that went wrong with running it.
func guestEnd(err error) bool {
	var trap *runtime.TrapError
	var limit *runtime.LimitError
	var module *runtime.ModuleError
	return errors.As(err, &trap) || errors.As(err, &module) ||
		errors.As(err, &limit) && limit.Limit == runtime.LimitMemory
}
