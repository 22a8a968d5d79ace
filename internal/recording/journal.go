package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"
)

// A journal is a line that names the format, then blocks: length and CRC-32C
// of the payload, both little endian, and the payload. The payloads put
// together are one zstd stream, flushed after each block; in it each sample is
// its length and a CBOR item. So a reader follows as far as the blocks are
// whole, and a torn tail costs the samples in it and no more.
const (
	journalMagic = "rtrail journal 1\n"
	journalStem  = "rtrail journal "

	blockHeader = 8
	// maxBlockBytes bounds what a damaged or hostile length can make a reader
	// allocate. 50,000 sockets are some 2 MB when nothing is known of them.
	maxBlockBytes = 32 << 20
	// maxBlockWords bounds the values of one table in one block; a writer with
	// more splits the sample.
	maxBlockWords = 4 << 20
	// journalWindow is how far back zstd looks for repetitions.
	journalWindow = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sample is the CBOR item of one commit. Tables and columns go by name, so
// that readers skip those they do not know.
type sample struct {
	Texts  [][]byte              `cbor:"s,omitempty"` // new ones, numbered on
	Tables map[string]tableBlock `cbor:"t"`
}

// journalWriter appends samples to a journal file.
type journalWriter struct {
	file   *os.File
	size   int64 // of whole blocks
	rows   int64
	stream *zstd.Encoder
	out    bytes.Buffer
	texts  *textList
	told   int // texts already written
	tables map[Table]*deltaTable
}

// createJournal begins a journal in a new file.
func createJournal(file *os.File) (j *journalWriter, err error) {
	j = &journalWriter{file: file, texts: newTextList(), told: 1, tables: map[Table]*deltaTable{}}
	j.stream, err = zstd.NewWriter(&j.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(journalWindow), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(journalMagic); err != nil {
		return nil, err
	}
	j.size = int64(len(journalMagic))
	return j, nil
}

// empty says that no sample is in it.
func (j *journalWriter) empty() bool { return j.size == int64(len(journalMagic)) }

// append writes one sample. When the disk refuses, the file is cut back to its
// last whole block: put tries again, and before it did not succeed nothing may
// be appended.
func (j *journalWriter) append(tables map[Table]rows) error {
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		k := kindByName(name)
		if k == nil {
			return fmt.Errorf("table %s is not in the catalogue", name)
		}
		have := j.tables[name]
		if have == nil {
			have = &deltaTable{}
			j.tables[name] = have
		}
		rows := tables[name]
		maxRows := maxBlockWords / len(k.columns)
		for first := 0; first < rows.count(); first += maxRows {
			last := min(first+maxRows, rows.count())
			block := have.encode(k, have.load(k, rows, first, last, j.texts))
			if err := j.write(sample{Texts: j.news(), Tables: map[string]tableBlock{string(name): block}}); err != nil {
				return err
			}
			j.rows += int64(last - first)
		}
	}
	return j.flush()
}

// news are the texts that the next block has to bring along.
func (j *journalWriter) news() [][]byte {
	var news [][]byte
	for _, s := range j.texts.list[j.told:] {
		news = append(news, []byte(s))
	}
	j.told = len(j.texts.list)
	return news
}

func (j *journalWriter) write(s sample) error {
	item, err := cbor.Marshal(s)
	if err != nil {
		return err
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(item)))
	if _, err := j.stream.Write(length[:]); err != nil {
		return err
	}
	_, err = j.stream.Write(item)
	return err
}

// flush makes a block of what was written since the last one.
func (j *journalWriter) flush() error {
	if err := j.stream.Flush(); err != nil {
		return err
	}
	return j.put()
}

// put writes what was flushed as a block.
func (j *journalWriter) put() error {
	payload := j.out.Bytes()
	if len(payload) == 0 {
		return nil
	}
	block := make([]byte, blockHeader, blockHeader+len(payload))
	binary.LittleEndian.PutUint32(block, uint32(len(payload)))
	binary.LittleEndian.PutUint32(block[4:], crc32.Checksum(payload, castagnoli))
	block = append(block, payload...)
	if _, err := j.file.Write(block); err != nil {
		_, back := j.file.Seek(j.size, io.SeekStart)
		return errors.Join(err, j.file.Truncate(j.size), back)
	}
	j.out.Reset()
	j.size += int64(len(block))
	return nil
}

func (j *journalWriter) close() error {
	return errors.Join(j.file.Sync(), j.file.Close(), j.stream.Close())
}
