package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Clean removes what labs left behind that were killed: everything in their
// state files, and namespaces, control groups and folders with a lab's name
// and no state file. Labs that run now are left alone. What it does is written
// to w; the number of leftover labs is returned.
func Clean(w io.Writer) (int, error) {
	var errs []error
	running := map[string]bool{}
	cleaned := 0
	for _, dir := range stateDirs {
		paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			errs = append(errs, err)
		}
		for _, path := range paths {
			id := strings.TrimSuffix(filepath.Base(path), ".json")
			h, items, err := readJournal(path)
			if err == nil {
				if start, err := startTime(h.PID); err == nil && start == h.Start && h.PID != os.Getpid() {
					running[id] = true
					fmt.Fprintf(w, "%s runs now (PID %d, %s): left alone\n", h.ID, h.PID, h.Case)
					continue
				}
			}
			// A file without even a header was torn at the first write: only
			// the mark in the environment and the names can lead further.
			if err := undoAll(id, items); err != nil {
				errs = append(errs, fmt.Errorf("clean up lab %s: %w", id, err))
				continue
			}
			if err := os.Remove(path); err != nil {
				errs = append(errs, err)
			}
			cleaned++
			fmt.Fprintf(w, "%s of %s: %d things undone\n", id, h.Case, len(items))
		}
		os.Remove(dir) // succeeds only when it is empty
	}
	for _, m := range strays(running) {
		if err := undo(m); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(w, "%s %s: removed\n", m.Kind, m.Name)
	}
	return cleaned, errors.Join(errs...)
}

// strays finds things with a lab's name that belong to no running lab.
func strays(running map[string]bool) []made {
	var found []made
	for _, place := range []struct{ kind, pattern string }{
		{madeNetNS, "/run/netns/rtrail-lab-*"},
		{madeCgroup, cgroupRoot + "/rtrail-lab-*"},
		{madeCgroup, cgroupRoot + "/*/rtrail-lab-*"},
		{madeDir, filepath.Join(os.TempDir(), "rtrail-lab-*")},
	} {
		paths, _ := filepath.Glob(place.pattern) // the pattern is well-formed
		for _, path := range paths {
			rest := strings.TrimPrefix(filepath.Base(path), "rtrail-lab-")
			id, _, _ := strings.Cut(rest, "-")
			// Only what looks like an ID: other files may begin alike.
			if len(id) != 8 || strings.Trim(id, "0123456789abcdef") != "" || running[id] {
				continue
			}
			name := path
			if place.kind == madeNetNS {
				name = filepath.Base(path)
			}
			found = append(found, made{Kind: place.kind, Name: name})
		}
	}
	return found
}
