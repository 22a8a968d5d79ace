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
// others, before the first byte of them is read. "" and "-" are no files.
func confine(stderr io.Writer, n privilege.Needs) {
	if confinable {
		keptAll(stderr, privilege.Confine(named(n)))
	}
}

// asks gives up what asking a server over the network does not need.
func asks(stderr io.Writer, n privilege.Needs) {
	if confinable {
		keptAll(stderr, privilege.Ask(named(n)))
	}
}

// named leaves out flags that were not given, and standard input and output.
func named(n privilege.Needs) privilege.Needs {
	for _, list := range []*[]string{&n.Read, &n.Write, &n.Dirs} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(path string) bool { return path == "" || path == "-" })
	}
	return n
}

// watches gives up what a run does not need that watches this host; writes says
// that it also writes files.
func watches(stderr io.Writer, writes bool) {
	if confinable {
		keptAll(stderr, privilege.Watch(writes))
	}
}

// keptAll tells that privileges are still there.
func keptAll(stderr io.Writer, err error) {
	if err != nil && !errors.Is(err, privilege.ErrThreads) {
		fmt.Fprintf(stderr, "rtrail: privileges could not be given up: %v\n", err)
	}
}
