package recording

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// source gives the files of a recording, whether they lie in a directory or
// in an .rtr file. Names have slashes, as in "segments/.../cpus.parquet".
type source interface {
	open(name string) (*sourceFile, error)
	segments() []segmentFiles
	close() error
}

// sourceFile is one open file.
type sourceFile struct {
	io.ReaderAt
	io.Closer
	size   int64
	effort *effort // of the whole recording
}

// segmentFiles is one segment and the names of its files.
type segmentFiles struct {
	id     segmentID
	folder string
	files  []string
}

// missing lists the tables that a segment had when it was sealed, and of which it has no file.
func (s segmentFiles) missing(sums map[string]fileSum) (list []Table) {
	for _, k := range catalogue {
		file := string(k.name) + parquetSuffix
		if _, had := sums[file]; had && !slices.Contains(s.files, file) {
			list = append(list, k.name)
		}
	}
	return list
}

// fileOf names the file of a table.
func (s segmentFiles) fileOf(t Table) string { return path.Join(s.folder, string(t)+parquetSuffix) }

var errNoFile = errors.New("no such file")

const (
	// maxManifestBytes bounds what is read of a manifest and of a list of
	// checksums. They have some kilobytes; in memory a list of JSON may take a
	// hundred times as much.
	maxManifestBytes = 1 << 20
	// maxZipDirectory bounds the table of contents of an .rtr file. A year of a
	// busy host has three million files, of 80 bytes each here and 300 in memory.
	maxZipDirectory = 64 << 20
)

// openSource finds out what lies under a path.
func openSource(name string) (source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	switch {
	case info.IsDir():
		return newDirectorySource(name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is neither a directory nor a file: not a recording of rtrail", name)
	}
	f, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	src, err := newZipSource(f, info.Size())
	if err == nil {
		return src, nil
	}
	f.Close()
	if errors.Is(err, zip.ErrFormat) && beginsLikeZip(name) {
		return nil, fmt.Errorf("%s is truncated or damaged: the table of contents at its end is missing; copy or pack it again", name)
	}
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s is not a recording of rtrail: want a directory made by rtrail record, or an .rtr file made by rtrail pack", name)
	}
	return nil, fmt.Errorf("opening the recording %s: %w", name, err)
}

func beginsLikeZip(name string) bool {
	f, err := safefile.OpenRegular(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "PK\x03\x04"
}

// readManifest reads the file that makes a directory a recording.
func readManifest(src source) (Manifest, error) {
	f, err := src.open(manifestFile)
	if errors.Is(err, errNoFile) {
		return Manifest{}, fmt.Errorf("it has no %s: not a recording of rtrail", manifestFile)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", manifestFile, err)
	}
	defer f.Close()
	if f.size > maxManifestBytes {
		return Manifest{}, fmt.Errorf("%s has %d bytes: not a recording of rtrail", manifestFile, f.size)
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", manifestFile, err)
	}
	return parseManifest(data)
}

func parseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s is damaged: %w", manifestFile, err)
	}
	switch {
	case m.Format <= 0:
		return m, fmt.Errorf("%s names no format: not a recording of rtrail", manifestFile)
	case m.Piece < 0 || m.Piece > maxNumber:
		return m, fmt.Errorf("%s is damaged: it claims %d pieces", manifestFile, m.Piece)
	}
	notes := m.Notes[max(0, len(m.Notes)-maxKeptNotes):]
	m.Notes = nil
	m.keep(notes...)
	m.keepRuns(m.Runs...)
	return m, nil
}

// directorySource is a recording as record writes it. No link in it is followed.
type directorySource struct {
	root   *os.File
	effort *effort
}

func newDirectorySource(path string) (directorySource, error) {
	root, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return directorySource{}, fmt.Errorf("opening the recording: %w", err)
	}
	return directorySource{root, &effort{}}, nil
}

func (d directorySource) open(name string) (*sourceFile, error) {
	f, err := safefile.OpenBelow(d.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoFile
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &sourceFile{f, f, info.Size(), d.effort}, nil
}

func (d directorySource) segments() []segmentFiles {
	files := map[string][]string{}
	names, _ := safefile.NamesBelow(d.root, segmentsFolder)
	for _, name := range names {
		if _, ok := parseSegment(name); ok {
			files[name], _ = safefile.NamesBelow(d.root, path.Join(segmentsFolder, name))
		}
	}
	return segmentsOf(files)
}

// segmentsOf puts the files of folders in order; those that are no segments are left
// out.
func segmentsOf(files map[string][]string) (all []segmentFiles) {
	for name, list := range files {
		if id, ok := parseSegment(name); ok {
			slices.Sort(list)
			all = append(all, segmentFiles{id: id, folder: path.Join(segmentsFolder, name), files: list})
		}
	}
	slices.SortFunc(all, func(a, b segmentFiles) int { return a.id.compare(b.id) })
	return all
}

func (d directorySource) close() error { return d.root.Close() }

// zipSource is a packed recording, read in place: its files are stored, not
// compressed.
type zipSource struct {
	file   *os.File
	files  map[string]*zip.File
	effort effort
}

func newZipSource(file *os.File, size int64) (*zipSource, error) {
	in := &boundedReaderAt{r: file, left: maxZipDirectory}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	in.left = -1
	s := &zipSource{file: file, files: map[string]*zip.File{}}
	left := uint64(size)
	for _, f := range z.File {
		// A gigabyte that is listed a million times would be read as often.
		if f.CompressedSize64 > left {
			return nil, errOverlap
		}
		left -= f.CompressedSize64
		if fs.ValidPath(f.Name) {
			s.files[f.Name] = f
		}
	}
	return s, nil
}

// boundedReaderAt refuses to read more than some bytes; left -1: it does not.
type boundedReaderAt struct {
	r    io.ReaderAt
	left int64
}

var errOverlap = errors.New("its files are longer than itself: they overlap")

var errManyFiles = errors.New("it lists more files than any recording has")

func (b *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			b.left = 0
			return 0, errManyFiles
		}
	}
	return b.r.ReadAt(p, at)
}

func (s *zipSource) open(name string) (*sourceFile, error) {
	f := s.files[name]
	if f == nil {
		return nil, errNoFile
	}
	if f.Method != zip.Store {
		return nil, errors.New("it is compressed inside the .rtr file: make that with rtrail pack, or unpack it into a directory")
	}
	raw, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	section, ok := raw.(*io.SectionReader)
	if !ok {
		return nil, errors.New("the zip library gives no random access")
	}
	return &sourceFile{section, io.NopCloser(nil), section.Size(), &s.effort}, nil
}

func (s *zipSource) segments() []segmentFiles {
	files := map[string][]string{}
	for name := range s.files {
		folder, file := path.Split(name)
		if below, segment := path.Split(strings.TrimSuffix(folder, "/")); below == segmentsFolder+"/" {
			files[segment] = append(files[segment], file)
		}
	}
	return segmentsOf(files)
}

func (s *zipSource) close() error { return s.file.Close() }
