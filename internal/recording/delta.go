package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"rtrail/internal/budget"
)

const wordBytes = 8

// A host does the same things from one second to the next, so a sample is
// written as what changed against the sample before: each row points to the
// same thing's row there, and each column holds differences, runs of zero
// counted. An idle connection costs a few bits.

// deltaTable is the last sample of one table, on the writing side with an
// index from the rows' keys.
type deltaTable struct {
	words  [][]word
	rows   int
	hashes []uint64         // of the keys of its rows
	index  map[uint64]int32 // made when rows come in another order

	bases []base // of its rows, where they were loaded for it

	// Memory of the sample before, for the next one.
	spare       [][]word
	spareBases  []base
	spareHashes []uint64
	stretches   []stretch
	encoded     []byte
	ends        []int // of each column in encoded

	// When read: the last sample, and how many rows memory was charged for.
	read    rowsRead
	charged int
	ages    []int    // columns that hold ages: see kind.aged
	times   [][]word // memory for the times of each
}

// tableBlock is one table's part of a sample, as it lies in the journal.
type tableBlock struct {
	Rows     int               `cbor:"n"`
	Previous []byte            `cbor:"p"` // row of the previous sample + 1, 0 for none, as difference to the expected one
	Columns  map[string][]byte `cbor:"c"` // differences by column name; a column of zeros is left out
}

// encode writes a sample against the one before and remembers it. The block holds
// until the next one is encoded.
func (d *deltaTable) encode(k *kind, words [][]word) tableBlock {
	n := len(words[0])
	cols := k.columns
	var refs runWriter
	if d.sameKeys(k, words) {
		d.stretches = append(d.stretches[:0], stretch{rows: n})
		refs.zeros = uint64(n)
	} else {
		d.refer(k, words, &refs)
	}
	block := tableBlock{Rows: n, Previous: refs.bytes(), Columns: make(map[string][]byte, len(cols))}
	all, ends := d.encoded[:0], d.ends[:0]
	for c := range cols {
		all = d.encodeColumn(all, words[c], c)
		ends = append(ends, len(all))
	}
	from := 0
	for c, to := range ends {
		if to > from {
			block.Columns[cols[c].name] = all[from:to]
		}
		from = to
	}
	d.words, d.spare = words, d.words
	d.rows, d.encoded, d.ends = n, all, ends
	return block
}

// encodeColumn appends the differences of a column; nothing if there are none.
func (d *deltaTable) encodeColumn(to []byte, words []word, c int) []byte {
	out := runWriter{out: to}
	for _, s := range d.stretches {
		now := words[s.at : s.at+s.rows]
		if s.before < 0 {
			for _, w := range now {
				out.put(w)
			}
			continue
		}
		before := d.words[c][s.before : s.before+s.rows]
		if sameWords(now, before) {
			out.zeros += uint64(s.rows)
			continue
		}
		for i, w := range now {
			out.put(w - before[i])
		}
	}
	if !out.changed {
		return to
	}
	return out.bytes()
}

// stretch is rows that continue as many rows of the sample before, one after the
// other.
type stretch struct{ at, rows, before int } // before: -1: none

// sameKeys says whether the rows are about the things of the sample before, in the
// same order, as is usual.
func (d *deltaTable) sameKeys(k *kind, words [][]word) bool {
	if len(words[0]) != d.rows {
		return false
	}
	for _, c := range k.key {
		if !sameWords(words[c], d.words[c]) {
			return false
		}
	}
	return true
}

// refer finds the row that each one continues.
func (d *deltaTable) refer(k *kind, words [][]word, refs *runWriter) {
	n := len(words[0])
	hashes := slices.Grow(d.spareHashes[:0], n)[:n]
	for i := range hashes {
		hashes[i] = hashKey(0, k.key, words, i)
	}
	d.index = nil
	d.stretches = d.stretches[:0]
	expect := 0
	for i, h := range hashes {
		ref := -1
		if expect < d.rows && d.hashes[expect] == h {
			ref = expect // the usual case: the same thing is next
		} else if have, ok := d.find(h); ok {
			ref = int(have)
		}
		refs.put(word(ref - expect))
		if last := len(d.stretches) - 1; last >= 0 && d.stretches[last].goesOn(ref) {
			d.stretches[last].rows++
		} else {
			d.stretches = append(d.stretches, stretch{i, 1, ref})
		}
		if ref >= 0 {
			expect = ref + 1
		}
	}
	d.hashes, d.spareHashes = hashes, d.hashes
}

// goesOn says whether the next row belongs to the stretch.
func (s stretch) goesOn(ref int) bool {
	if s.before < 0 {
		return ref < 0
	}
	return ref == s.before+s.rows
}

// find looks for a row of the last sample by the hash of its key.
func (d *deltaTable) find(h uint64) (row int32, ok bool) {
	if d.index == nil {
		d.index = make(map[uint64]int32, d.rows)
		for i, h := range d.hashes {
			d.index[h] = int32(i)
		}
	}
	row, ok = d.index[h]
	return row, ok
}

// rowsRead is one table of one sample as it was read. It holds until the next
// sample.
type rowsRead struct {
	words  [][]word
	before []word // row of the sample before that each one continues; -1: none
	// differs says of each column whether any row differs from the one it continues,
	// or has none and is not 0.
	differs []bool
}

// decode undoes encode. Columns the kind does not know are left alone. The words
// of two samples are charged to memory.
func (d *deltaTable) decode(k *kind, b tableBlock, memory *budget.Budget) (*rowsRead, error) {
	cols := k.columns
	if b.Rows <= 0 || b.Rows > maxBlockWords/len(cols) {
		return nil, fmt.Errorf("table %s: impossible number of rows %d", k.name, b.Rows)
	}
	if b.Rows > d.charged {
		const (
			buffers = 2 // of words
			places  = 3 // of rows, here and in the shelf
		)
		if !memory.Take(int64(b.Rows-d.charged) * int64(buffers*len(cols)+len(k.ages)+places) * wordBytes) {
			return nil, errTooLarge
		}
		d.charged = b.Rows
	}
	read := &d.read
	same, err := d.decodeRefs(b, read)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", k.name, err)
	}
	if !same {
		d.words, d.spare = d.spare, d.words
		d.follow(len(cols), read.before)
	}
	read.words, read.differs = d.words, slices.Grow(read.differs[:0], len(cols))[:len(cols)]
	clear(read.differs)
	for name, data := range b.Columns {
		c, age := k.written(name)
		if c < 0 || read.differs[c] {
			continue
		}
		read.differs[c] = true
		if age && !slices.Contains(d.ages, c) {
			d.ages, d.times = append(d.ages, c), append(d.times, nil)
		}
		if err := addRuns(data, d.words[c]); err != nil {
			return nil, fmt.Errorf("table %s, column %s: %w", k.name, cols[c].name, err)
		}
	}
	d.rows = b.Rows
	if len(d.ages) > 0 {
		read.words = d.tell(k, read.differs)
	}
	return read, nil
}

// tell is the words with times in place of ages. Those in d stay: the next sample is
// written as what differs from them.
func (d *deltaTable) tell(k *kind, differs []bool) [][]word {
	words := slices.Clone(d.words)
	for n, c := range d.ages {
		into := d.times[n][:0]
		for i, age := range d.words[c] {
			into = append(into, (d.words[0][i]-age)/k.columns[c].unit)
		}
		d.times[n], words[c], differs[c] = into, into, true
	}
	return words
}

// decodeRefs finds the row that each one continues. The usual case is that things
// and their order are the same as in the sample before.
func (d *deltaTable) decodeRefs(b tableBlock, read *rowsRead) (same bool, err error) {
	read.before = slices.Grow(read.before[:0], b.Rows)[:b.Rows]
	clear(read.before)
	if err := addRuns(b.Previous, read.before); err != nil {
		return false, err
	}
	same = b.Rows == d.rows
	expect := word(1)
	for i, diff := range read.before {
		ref := diff + expect - 1
		if ref < -1 || ref >= word(d.rows) {
			return false, fmt.Errorf("row %d refers to row %d of %d", i, ref, d.rows)
		}
		if read.before[i] = ref; ref >= 0 {
			expect = ref + 2
		}
		same = same && ref == word(i)
	}
	return same, nil
}

// follow fills words with the rows that are continued, which are now in spare.
func (d *deltaTable) follow(columns int, before []word) {
	if d.words == nil {
		d.words = make([][]word, columns)
	}
	for c := range d.words {
		into := slices.Grow(d.words[c][:0], len(before))[:len(before)]
		for i, p := range before {
			into[i] = 0
			if p >= 0 {
				into[i] = d.spare[c][p]
			}
		}
		d.words[c] = into
	}
}

// sameWords compares eight times as fast as a loop does.
func sameWords(a, b []word) bool { return bytes.Equal(bytesOf(a), bytesOf(b)) }

func bytesOf(w []word) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*wordBytes)
}

// hashKey mixes a row's key. Two things with one hash cost bytes, not truth:
// the reader follows the written row numbers.
func hashKey(seed uint64, key []int, words [][]word, row int) uint64 {
	h := seed ^ 0x9E3779B97F4A7C15
	for _, c := range key {
		h = (h ^ uint64(words[c][row])) * 0xD6E8FEB86659FD93
		h ^= h >> 32
	}
	return h
}

// runWriter writes numbers as zigzag varints; a run of zeros is a 0 and its
// length less one.
type runWriter struct {
	out     []byte
	zeros   uint64
	changed bool
}

func (r *runWriter) put(w word) {
	if w == 0 {
		r.zeros++
		return
	}
	r.flush()
	r.changed = true
	r.out = binary.AppendVarint(r.out, w)
}

func (r *runWriter) flush() {
	if r.zeros > 0 {
		r.out = append(r.out, 0)
		r.out = binary.AppendUvarint(r.out, r.zeros-1)
		r.zeros = 0
	}
}

func (r *runWriter) bytes() []byte {
	r.flush()
	return r.out
}

var errRuns = errors.New("numbers are damaged")

// addRuns adds numbers to all of into, or fails.
func addRuns(data []byte, into []word) error {
	for i := 0; i < len(into); {
		w, n := binary.Varint(data)
		if n <= 0 {
			return errRuns
		}
		data = data[n:]
		if w != 0 {
			into[i] += w
			i++
			continue
		}
		zeros, n := binary.Uvarint(data)
		if n <= 0 || zeros >= uint64(len(into)-i) {
			return errRuns
		}
		data = data[n:]
		i += int(zeros) + 1
	}
	if len(data) > 0 {
		return errRuns
	}
	return nil
}
