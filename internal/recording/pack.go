package recording

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/outfile"
)

// Pack puts a recording that lies in a directory into one file, to be sent or
// kept: a zip archive without compression, which every verb reads in place. A
// recording that still runs can be packed; what comes later is not in it.
func Pack(ctx context.Context, dir, out string) error {
	if err := pack(ctx, dir, out); err != nil {
		return fmt.Errorf("packing %s into %s: %w", dir, out, explainDisk(err))
	}
	return nil
}

func pack(ctx context.Context, dir, out string) error {
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return errors.New("it is not a directory: want one made by rtrail record")
	}
	src, err := newDirectorySource(dir)
	if err != nil {
		return err
	}
	defer src.close()
	if _, err := readManifest(src); err != nil {
		return err
	}
	// The journal first: a recorder that ends its segment meanwhile moves it
	// to a folder that is named by its first row, which is then not needed.
	journal, err := src.open(journalFile)
	var moved time.Time
	if err == nil {
		defer journal.Close()
		moved = firstMoment(ctx, io.NewSectionReader(journal, 0, journal.size))
	} else if !errors.Is(err, errNoFile) {
		return err
	}
	return outfile.Write(ctx, out, func(f *outfile.File) error {
		z := zip.NewWriter(f)
		if err := addFile(z, src, manifestFile); err != nil {
			return err
		}
		for _, s := range src.segments() {
			if !moved.IsZero() && s.id.start.Equal(moved) {
				continue
			}
			if err := addSegment(z, src, s); err != nil {
				return err
			}
		}
		if journal != nil {
			if err := addOpen(z, journal, journalFile); err != nil {
				return err
			}
		}
		if err := z.Close(); err != nil {
			return err
		}
		if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) { // pipes have no disk
			return err
		}
		return nil
	})
}

// Lacking says which files of a recording are missing or cut, as after a copy that was not whole. It looks at
// names and sizes only.
func Lacking(dir string) ([]string, error) {
	src, err := openSource(dir)
	if err != nil {
		return nil, err
	}
	defer src.close()
	var notes noteList
	for _, s := range src.segments() {
		if slices.Contains(s.files, journalFile) {
			continue // it has everything
		}
		sums, err := readSums(src, s.folder)
		if err != nil {
			notes.add("%s: %v", path.Join(s.folder, checksumFile), err)
		}
		for _, t := range s.missing(sums) {
			notes.add("%s is missing", s.fileOf(t))
		}
		for _, name := range s.files {
			want, had := sums[name]
			if !had {
				continue
			}
			if f, err := src.open(path.Join(s.folder, name)); err == nil { // else a recorder dropped it meanwhile
				if f.size != want.Bytes {
					notes.add("%s has %d bytes, %d were written", path.Join(s.folder, name), f.size, want.Bytes)
				}
				f.Close()
			}
		}
	}
	return notes.all(), nil
}

// addSegment adds the journal of a segment that is not sealed yet, else its
// tables. A recorder at work may seal or drop it while we read.
func addSegment(z *zip.Writer, src source, s segmentFiles) error {
	journal := path.Join(s.folder, journalFile)
	if slices.Contains(s.files, journalFile) {
		if err := addFile(z, src, journal); !errors.Is(err, errNoFile) {
			return err
		}
		for _, again := range src.segments() { // sealed meanwhile
			if again.folder == s.folder {
				s = again
			}
		}
	}
	for _, name := range s.files {
		if path.Ext(name) != parquetSuffix && name != checksumFile {
			continue
		}
		if err := addFile(z, src, path.Join(s.folder, name)); err != nil && !errors.Is(err, errNoFile) {
			return err
		}
	}
	return nil
}

func addFile(z *zip.Writer, src source, name string) error {
	f, err := src.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return addOpen(z, f, name)
}

func addOpen(z *zip.Writer, f *sourceFile, name string) error {
	if err := f.checkSize(); err != nil {
		return fmt.Errorf("%s: %w: remove it, and pack again", name, err)
	}
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Now()})
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(f, 0, f.size))
	return err
}
