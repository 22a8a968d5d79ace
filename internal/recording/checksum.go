package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"path"
)

// checksumFile lists the files of a segment. Parquet libraries trust what they
// read: a wrong bit in a length makes them allocate gigabytes or count for
// hours. So a file is handed to one only when it is what was written.
const checksumFile = "checksums.json"

// fileSum is the size and the CRC-32C of a file.
type fileSum struct {
	Bytes int64  `json:"bytes"`
	CRC   uint32 `json:"crc32c"`
}

// summingWriter counts and sums what passes through to a file.
type summingWriter struct {
	to  io.Writer
	sum hash.Hash32
	n   int64
}

func (s *summingWriter) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.n += int64(n)
	s.sum.Write(p[:n])
	return n, err
}

// readSums reads the list of a segment; nil when it has none, as when other
// tools wrote its tables.
func readSums(src source, folder string) (map[string]fileSum, error) {
	f, err := src.open(path.Join(folder, checksumFile))
	if errors.Is(err, errNoFile) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.size > maxManifestBytes {
		return nil, fmt.Errorf("%d bytes are too many", f.size)
	}
	var sums map[string]fileSum
	return sums, json.NewDecoder(io.NewSectionReader(f, 0, f.size)).Decode(&sums)
}

// verify says what is wrong with a table's file.
func (f *sourceFile) verify(ctx context.Context, name string, sums map[string]fileSum) error {
	want, ok := sums[name]
	if ok && f.size != want.Bytes {
		return fmt.Errorf("it has %d bytes, %d were written", f.size, want.Bytes)
	}
	if err := f.checkSize(); err != nil {
		return err
	}
	if err := f.verifyFooter(); err != nil || !ok {
		return err
	}
	sum := crc32.New(castagnoli)
	for at := int64(0); at < f.size; at += sumChunk {
		if _, err := io.Copy(sum, io.NewSectionReader(f, at, min(sumChunk, f.size-at))); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if sum.Sum32() != want.CRC {
		return errors.New("it is damaged: its checksum is not the one written")
	}
	return nil
}

// sumChunk is how much is summed before the user may say stop.
const sumChunk = 64 << 20

// checkSize refuses files that no recorder writes, such as sparse ones.
func (f *sourceFile) checkSize() error {
	if f.size > maxFileBytes {
		return fmt.Errorf("%d bytes are more than any file of a recording has", f.size)
	}
	return nil
}

// verifyFooter checks the one length of a Parquet file that can be checked
// without decoding it.
func (f *sourceFile) verifyFooter() error {
	const ends = 12 // magic, length, magic
	var tail [8]byte
	if f.size < ends {
		return errors.New("not a whole Parquet file")
	}
	if _, err := f.ReadAt(tail[:], f.size-int64(len(tail))); err != nil {
		return err
	}
	length := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	if string(tail[4:]) != "PAR1" || length > f.size-ends {
		return errors.New("not a whole Parquet file: its end is missing")
	}
	return nil
}
