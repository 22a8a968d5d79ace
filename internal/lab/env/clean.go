package env

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"rtrail/internal/safefile"
)

// Clean removes what labs left behind that were killed: everything in their
// state files, and namespaces, control groups and folders with a lab's name
// and no state file. Labs that run now are left alone. What it does is written
// to w; the number of leftover labs is returned.
func Clean(w io.Writer) (int, error) {
	dir, err := openState(false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err // who knows which labs run
	}
	running := map[string]bool{}
	cleaned := 0
	var errs []error
	if dir != nil {
		cleaned, err = cleanState(w, dir, running)
		errs = append(errs, err, dir.Close())
	}
	for _, s := range strays(running) {
		if err := undo(s); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(w, "%s %s: removed\n", s.Kind, s.Name)
	}
	return cleaned, errors.Join(errs...)
}

// cleanState undoes what state files name, and notes the labs that run.
func cleanState(w io.Writer, dir *safefile.Dir, running map[string]bool) (cleaned int, err error) {
	names, err := dir.Names()
	errs := []error{err}
	slices.Sort(names)
	for _, name := range names {
		id, ok := strings.CutSuffix(name, stateSuffix)
		if !ok || !isID(id) {
			errs = append(errs, fmt.Errorf("%s in %s is no state file of a lab: remove it", name, dir.Path()))
			continue
		}
		h, items, err := readJournal(dir, name)
		if err != nil && !errors.Is(err, errTorn) {
			running[id] = true // for all we know
			errs = append(errs, err)
			continue
		}
		if start, err := startTime(h.PID); err == nil && start == h.Start && h.PID != os.Getpid() {
			running[id] = true
			fmt.Fprintf(w, "%s runs now (PID %d, %s): left alone\n", h.ID, h.PID, h.Case)
			continue
		}
		// A file without even a header was torn at the first write: only
		// the mark in the environment and the names can lead further.
		if err := undoAll(id, items); err != nil {
			errs = append(errs, fmt.Errorf("clean up lab %s: %w", id, err))
			continue
		}
		errs = append(errs, dir.Remove(name))
		cleaned++
		fmt.Fprintf(w, "%s of %s: %d things undone\n", id, h.Case, len(items))
	}
	return cleaned, errors.Join(errs...)
}

// strays finds things with a lab's name that belong to no running lab.
func strays(running map[string]bool) []made {
	var found []made
	for _, place := range []struct{ kind, pattern string }{
		{madeNetNS, "/run/netns/" + namePrefix + "*"},
		{madeCgroup, cgroupRoot + "/" + namePrefix + "*"},
		{madeCgroup, cgroupRoot + "/*/" + namePrefix + "*"},
		{madeDir, filepath.Join(os.TempDir(), namePrefix+"*")},
	} {
		paths, _ := filepath.Glob(place.pattern) // the pattern is well-formed
		for _, path := range paths {
			rest := strings.TrimPrefix(filepath.Base(path), namePrefix)
			id, _, _ := strings.Cut(rest, "-")
			m := made{Kind: place.kind, Name: path}
			if place.kind == madeNetNS {
				m.Name = filepath.Base(path)
			}
			// Other files may begin alike, and anybody may give theirs such a name.
			if isID(id) && !running[id] && m.belongs(id) == nil && isMine(path) {
				found = append(found, m)
			}
		}
	}
	return found
}

// isMine says that a path, and not what a link in its place leads to, belongs to
// the user who cleans up.
func isMine(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
