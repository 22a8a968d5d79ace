package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kind says which runs a file goes through.
type kind string

const (
	capture   kind = "capture"
	recorded  kind = "recording"
	stacks    kind = "stacks"
	otherKind kind = "other" // goes through one run of each verb, which has to refuse it or make the best of it
)

// file is a piece of evidence: a file, or the directory of a recording.
type file struct {
	path string // to open it
	name string // to tell it by: relative to the folder that was named
	kind kind
	size int64
}

// collect finds the evidence below the folders, each content once. Links are not
// followed, and what is no regular file is left alone.
func collect(roots []string) (files []file, err error) {
	seen := map[[sha256.Size]byte]bool{}
	for _, root := range roots {
		walk := func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && isRecording(path):
				files = append(files, file{path: path, name: nameOf(root, path), kind: recorded})
				return fs.SkipDir
			case !entry.Type().IsRegular():
				return nil
			}
			f := file{path: path, name: nameOf(root, path)}
			sum, err := f.look()
			if err != nil {
				return err
			}
			if f.size > 0 && !seen[sum] {
				seen[sum] = true
				files = append(files, f)
			}
			return nil
		}
		if err := filepath.WalkDir(root, walk); err != nil {
			return nil, fmt.Errorf("look through %s: %w", root, err)
		}
	}
	return files, nil
}

func nameOf(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && rel != "." {
		return rel
	}
	return filepath.Base(path)
}

func isRecording(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, "manifest.json"))
	return err == nil && info.Mode().IsRegular()
}

// look finds out what a file is by its content, and tells copies by its sum.
func (f *file) look() (sum [sha256.Size]byte, err error) {
	in, err := os.Open(f.path)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return sum, fmt.Errorf("read %s: %w", f.path, err)
	}
	head = head[:n]
	f.kind = kindOf(head)
	all := sha256.New()
	all.Write(head)
	rest, err := io.Copy(all, in)
	if err != nil {
		return sum, fmt.Errorf("read %s: %w", f.path, err)
	}
	f.size = int64(n) + rest
	return [sha256.Size]byte(all.Sum(nil)), nil
}

// Magic numbers: pcap in both byte orders, with microseconds, nanoseconds, and as
// modified by Alexey Kuznetzov; the section header of pcapng.
var captureMagic = []string{
	"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x34\xcd\xb2\xa1", "\xa1\xb2\xcd\x34", "\x0a\x0d\x0d\x0a",
}

// kindOf tells what begins so. Of what zstd compressed only the name of the
// method is seen, and captures are what is kept so.
func kindOf(head []byte) kind {
	begins := func(magic string) bool { return strings.HasPrefix(string(head[:min(len(head), 4)]), magic) }
	switch {
	case slices.ContainsFunc(captureMagic, begins), begins("\x28\xb5\x2f\xfd"):
		return capture
	case begins("PK\x03\x04"):
		return recorded
	case begins("\x1f\x8b"):
		return insideGzip(head)
	case len(head) > 0 && !bytes.ContainsRune(head, 0):
		return stacks
	}
	return otherKind
}

func insideGzip(head []byte) kind {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return otherKind
	}
	inner := make([]byte, 4<<10)
	n, _ := io.ReadFull(z, inner) // the head of a file ends early
	if n == 0 || bytes.HasPrefix(inner[:n], []byte("\x1f\x8b")) {
		return otherKind
	}
	return kindOf(inner[:n])
}
