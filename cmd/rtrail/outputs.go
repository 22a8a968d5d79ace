package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// output is a file that a flag names to be written.
type output struct {
	flag, path string
}

// checkOutputs refuses files that cannot be meant: those that are read, two of
// the same name, and standard output, which has the report.
func checkOutputs(outputs []output, inputs []string) error {
	var before []output
	for _, o := range outputs {
		if o.path == "" {
			continue
		}
		if o.path == "-" {
			return usageError("%s -: standard output has the report; name a file, or a FIFO that another program reads", o.flag)
		}
		for _, b := range before {
			if sameFile(o.path, b.path) {
				return usageError("%s %s: %s writes this file already; name another one", o.flag, o.path, b.flag)
			}
		}
		before = append(before, o)
		there, err := os.Stat(o.path)
		if err != nil {
			continue
		}
		if there.IsDir() {
			return usageError("%s %s: a directory; name a file in it", o.flag, o.path)
		}
		for _, name := range inputs {
			if info, err := statInput(name); err == nil && endangers(there) && os.SameFile(info, there) {
				return usageError("%s %s is a file that is read: it would be destroyed; name another file", o.flag, o.path)
			}
		}
	}
	return nil
}

// checkFolders refuses files in directories that are not there, where all that was watched would be lost when they
// are written.
func checkFolders(outputs []output) error {
	for _, o := range outputs {
		folder, _ := filepath.Split(o.path) // as the kernel reads it, through links
		if folder == "" {
			continue
		}
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return usageError("%s %s: there is no directory %s; make it, or name another file", o.flag, o.path, folder)
		}
	}
	return nil
}

// sameFile says whether two names are of one file, which need not be there.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && endangers(x) && os.SameFile(x, y)
}

// endangers says that writing harms what is read: not that of a terminal or of
// /dev/null.
func endangers(info fs.FileInfo) bool { return info.Mode()&fs.ModeDevice == 0 }

func statInput(name string) (fs.FileInfo, error) {
	if name == "-" {
		return os.Stdin.Stat()
	}
	return os.Stat(name)
}
