package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"rtrail/internal/privilege"
)

// confinable says that the process is this program, and not a test that calls it.
var confinable bool

// confine gives up what a run does not need that reads some files and writes
// others, before the first byte of them is read.
func confine(stderr io.Writer, read []string, write ...string) {
	if !confinable {
		return
	}
	none := func(path string) bool { return path == "" || path == "-" }
	err := privilege.Confine(privilege.Needs{
		Read: slices.DeleteFunc(slices.Clone(read), none), Write: slices.DeleteFunc(write, none),
	})
	if err != nil && !errors.Is(err, privilege.ErrThreads) {
		fmt.Fprintf(stderr, "rtrail: privileges could not be given up: %v\n", err)
	}
}
