package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
	"rtrail/internal/safefile"
)

const (
	segmentsFolder = "segments"
	journalFile    = "journal"
	manifestFile   = "manifest.json"
	parquetSuffix  = ".parquet"

	// Recordings hold names of processes and addresses: nothing for all users.
	folderMode = 0o750
	fileMode   = 0o640
)

// sealSegment turns the journal in a segment's folder into Parquet files of a host
// and removes it. While the journal lies there, readers use it and ignore the
// Parquet files, so that a crash or a full disk at any point loses nothing. One
// that takes more memory than there is stays as it is, as does one for whose
// Parquet files there is no room.
func sealSegment(folder *safefile.Dir, host string) (notes []string, err error) {
	if err := remove(folder, partial); err != nil {
		return nil, err
	}
	if _, err := folder.Stat(journalFile); err != nil {
		return nil, missingOK(err)
	}
	notes, err = writeTables(folder, host)
	switch {
	case errors.Is(err, errTooLarge):
		return append(notes, folder.Path()+" stays a journal: sorting it takes more memory than there is"), nil
	case err != nil:
		return notes, fmt.Errorf("sealing %s: %w", folder.Path(), err)
	}
	return notes, folder.Remove(journalFile)
}

func writeTables(folder *safefile.Dir, host string) (notes []string, err error) {
	file, err := folder.Open(journalFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ctx := context.Background() // it ends as the journal does
	memory := budget.From(ctx)
	content := newShelves(memory)
	if notes, err = readJournal(ctx, file, memory, content); err != nil {
		return notes, err
	}
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		return notes, err
	}
	defer compressor.Close()
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(folder, written))
		}
	}()
	tables := content.tables
	sums := map[string]fileSum{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		file := string(name) + parquetSuffix
		if sums[file], err = writeTable(folder, file, tables[name], host, compressor); err != nil {
			return notes, err
		}
		delete(tables, name)
	}
	if err := replaceJSON(folder, checksumFile, sums); err != nil {
		return notes, err
	}
	return notes, folder.Sync()
}

// remove removes the files of a segment that a test says yes to.
func remove(folder *safefile.Dir, which func(name string) bool) error {
	names, err := folder.Names()
	errs := []error{err}
	for _, name := range names {
		if which(name) {
			errs = append(errs, folder.Remove(name))
		}
	}
	return errors.Join(errs...)
}

// partial is what a sealing that was killed has left.
func partial(name string) bool { return strings.HasSuffix(name, safefile.PartialSuffix) }

// written is what a sealing has written.
func written(name string) bool { return strings.HasSuffix(name, parquetSuffix) || name == checksumFile }

// replaceJSON writes a file that people may read.
func replaceJSON(folder *safefile.Dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return folder.Replace(name, fileMode, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
}

// writeTable writes one table.
func writeTable(folder *safefile.Dir, name string, s *shelf, host string, compressor *zstd.Encoder) (fileSum, error) {
	out := &summingWriter{sum: crc32.New(castagnoli)}
	err := folder.Replace(name, fileMode, func(f *os.File) error {
		out.to = f
		return s.writeParquet(out, host, compressor)
	})
	return fileSum{Bytes: out.n, CRC: out.sum.Sum32()}, err
}

// maxFileBytes is longer than any file of a segment: a running one has at most
// maxJournal. What is longer was put there by others, as sparse files that
// claim a terabyte.
const maxFileBytes = 4 << 30

// segmentBytes is what the files of a segment hold. Those that vanish while it
// counts are not counted.
func segmentBytes(folder *safefile.Dir) (total int64) {
	names, _ := folder.Names()
	for _, name := range names {
		if st, err := folder.Stat(name); err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size <= maxFileBytes {
			total += st.Size
		}
	}
	return total
}

// sealedBytes is what all segments hold.
func (d *Directory) sealedBytes() (total int64) {
	for _, id := range d.list() {
		if folder, err := d.segments.Sub(id.String()); err == nil {
			total += segmentBytes(folder)
			folder.Close()
		}
	}
	return total
}

// missingOK takes what is not there for done.
func missingOK(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
