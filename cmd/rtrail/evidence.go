package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"rtrail/internal/imported"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe/mysql/slowlog"
	"rtrail/internal/stack"
)

// evidence is what files hold.
type evidence int

const (
	ofCaptures evidence = iota
	ofRecording
	ofStacks
	ofSlowLogs
	ofReports // of other tools
)

// evidenceIn looks into files for what they hold, which is to be done with the
// privileges with which they are read.
func evidenceIn(files []string) (evidence, error) {
	switch other := slices.IndexFunc(files, isFolder); {
	case slices.ContainsFunc(files, imported.IsCollection):
		return ofReports, nil
	case other >= 0:
		return ofRecording, fmt.Errorf("%s: a directory, and no recording (there is no manifest.json in it), collection of pt-stalk or unpacked sosreport: give the files in it", files[other])
	case !slices.ContainsFunc(files, isRecording):
		switch {
		case all(files, slowlog.IsLog):
			return ofSlowLogs, nil
		case all(files, stack.IsDump):
			return ofStacks, nil
		}
		if !slices.Contains(files, "-") && len(parted(files).reports) > 0 {
			return ofReports, nil
		}
		return ofCaptures, nil
	case all(files, isRecording) && len(files) > 1:
		return ofRecording, usageError("%d recordings given: one can be judged at a time", len(files))
	case len(files) > 1:
		return ofRecording, usageError("%s is a recording, which is judged alone: give it without the other files", files[slices.IndexFunc(files, isRecording)])
	}
	return ofRecording, nil
}

// isFolder says that a path is a directory with nothing in it that is of a recording, not even of a damaged one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		return false
	}
	return !slices.ContainsFunc([]string{"manifest.json", "segments", "journal"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(path, name))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// isReport says that a file, or a directory, is of another tool.
func isReport(path string) bool { return imported.IsCollection(path) || imported.Is(path) }

// ofOneHost are files that are judged together.
type ofOneHost struct{ reports, dumps, captures, unknown []string }

// parted tells reports of other tools from stacks and captures, also of those that pt-stalk puts
// into one directory. What a capture holds may be the
// text of a report.
func parted(files []string) (p ofOneHost) {
	all := slices.Clone(files)
	for _, f := range files {
		all = append(all, imported.Beside(f)...)
	}
	for _, f := range all {
		list := &p.unknown
		switch {
		case pcap.Is(f):
			list = &p.captures
		case imported.IsBeside(f): // tcpdump may have seen nothing, and other debuggers be unknown
			if !stack.IsDump(f) {
				continue
			}
			list = &p.dumps
		case isReport(f):
			list = &p.reports
		case stack.IsDump(f):
			list = &p.dumps
		}
		*list = append(*list, f)
	}
	return p
}

// all says whether all files are of a kind. Standard input is taken for a capture:
// it can be looked at only once.
func all(files []string, is func(path string) bool) bool {
	return !slices.ContainsFunc(files, func(f string) bool { return f == "-" || !is(f) })
}

// isRecording tells a recording from a capture: the one is a directory or a
// packed file, which is a zip, whatever its name. What cannot be read is taken for
// a capture, as rtrail packets takes it, so that opening it says why.
func isRecording(path string) bool {
	if path == "-" {
		return false
	}
	info, err := os.Stat(path)
	switch {
	case err != nil || info.IsDir() || filepath.Ext(path) == ".rtr":
		return true
	case !info.Mode().IsRegular():
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "PK\x03\x04"
}
