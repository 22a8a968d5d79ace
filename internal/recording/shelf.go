package recording

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"

	"rtrail/internal/budget"
)

// A segment is sorted by thing, then time, but is read from a journal that is
// sorted by time. The shelf turns one into the other without holding the rows:
// it keeps the last row of each thing and, in bytes, how each row differs from
// the one before. Ten minutes of 5,000 connections are some tens of megabytes,
// where the rows would take a gigabyte.
type shelf struct {
	memory  *budget.Budget
	seed    uint64 // so that no journal can choose keys with one hash
	kind    kind
	series  map[uint64][]*series // by hash of the key
	rows    int64
	texts   []string
	changes []int64 // per column: rows that differ from the one before
}

// series is the rows of one thing.
type series struct {
	first []word
	last  []word
	data  []byte // per row: runs of unchanged columns and differences
	rows  int
}

func newShelf(k kind, memory *budget.Budget) *shelf {
	return &shelf{memory: memory, seed: rand.Uint64(), kind: k, series: map[uint64][]*series{}, changes: make([]int64, len(k.columns()))}
}

// seriesCost is what a thing takes beside its two rows, and rowCost what a row
// takes beside its bytes while the list of them grows.
const (
	seriesCost = 160
	rowCost    = 2
)

// add takes one table of one sample.
func (s *shelf) add(words [][]word, texts []string) error {
	s.texts = texts
	key := s.kind.key()
	for i := range words[0] {
		h := hashKey(s.seed, key, words, i)
		one, err := s.find(h, words, i)
		if err != nil {
			return err
		}
		before := len(one.data)
		one.add(words, i, s.changes)
		if !s.memory.Take(rowCost * int64(len(one.data)-before)) {
			return errTooLarge
		}
		s.rows++
	}
	return nil
}

func (s *shelf) find(h uint64, words [][]word, row int) (*series, error) {
	key := s.kind.key()
	for _, have := range s.series[h] {
		if !slices.ContainsFunc(key, func(c int) bool { return have.first[c] != words[c][row] }) {
			return have, nil
		}
	}
	if !s.memory.Take(2*wordBytes*int64(len(words)) + seriesCost) {
		return nil, errTooLarge
	}
	made := &series{first: make([]word, len(words)), last: make([]word, len(words))}
	for c := range words {
		made.first[c] = words[c][row]
		made.last[c] = words[c][row]
	}
	s.series[h] = append(s.series[h], made)
	return made, nil
}

func (s *series) add(words [][]word, row int, changes []int64) {
	out := runWriter{out: s.data}
	same := uint64(0) // columns in a row that did not change
	for c, column := range words {
		d := column[row] - s.last[c]
		if d == 0 {
			same++
			continue
		}
		changes[c]++
		s.last[c] += d
		out.zeros, same = same, 0
		out.put(d)
	}
	out.zeros = same
	s.data = out.bytes()
	s.rows++
}

// sorted lists the series in the order of their keys.
func (s *shelf) sorted() []*series {
	all := slices.Concat(slices.Collect(maps.Values(s.series))...)
	cols := s.kind.columns()
	slices.SortFunc(all, func(a, b *series) int {
		for _, c := range s.kind.key() {
			if order := compareWords(cols[c].kind, a.first[c], b.first[c], s.texts); order != 0 {
				return order
			}
		}
		return 0
	})
	return all
}

// batchRows is how many rows are handed on at a time.
const batchRows = 1024

// each hands over all rows, thing by thing, in batches that are used again.
func (s *shelf) each(yield func(rows) error) error {
	b := newRowBatch(len(s.kind.columns()))
	made := s.kind.empty()
	send := func() error {
		s.kind.reset(made)
		if err := s.kind.store(made, b.take(), s.texts, nil); err != nil {
			return err
		}
		return yield(made)
	}
	for _, one := range s.sorted() {
		data := one.data
		b.begin(one.first)
		for range one.rows {
			data = b.add(data)
			if b.rows == batchRows {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	if b.rows == 0 {
		return nil
	}
	return send()
}

// rowBatch is some rows as words. Most columns of most rows repeat the row
// before: a value is written when it ends, as often as it held.
type rowBatch struct {
	words [][]word // per column
	rows  int
	value []word // per column, of the last row
	since []int  // per column, the row from which on value is still to be written
}

func newRowBatch(columns int) *rowBatch {
	b := &rowBatch{words: make([][]word, columns), value: make([]word, columns), since: make([]int, columns)}
	for c := range b.words {
		b.words[c] = make([]word, batchRows)
	}
	return b
}

// begin starts another thing.
func (b *rowBatch) begin(first []word) {
	b.write()
	copy(b.value, first)
}

// add takes one row, as differences to the one before, and returns the rest of
// the bytes.
func (b *rowBatch) add(data []byte) []byte {
	for c := 0; c < len(b.value); {
		d, n := binary.Varint(data)
		data = data[n:]
		if d != 0 {
			b.writeColumn(c)
			b.value[c] += d
			c++
			continue
		}
		zeros, n := binary.Uvarint(data)
		data = data[n:]
		c += int(zeros) + 1
	}
	b.rows++
	return data
}

func (b *rowBatch) writeColumn(c int) {
	held := b.words[c][b.since[c]:b.rows]
	for i := range held {
		held[i] = b.value[c]
	}
	b.since[c] = b.rows
}

func (b *rowBatch) write() {
	for c := range b.words {
		b.writeColumn(c)
	}
}

// take gives the rows, which hold until the next one is added, and begins anew.
func (b *rowBatch) take() [][]word {
	b.write()
	words := make([][]word, len(b.words))
	for c := range words {
		words[c] = b.words[c][:b.rows]
	}
	b.rows = 0
	clear(b.since)
	return words
}

// shelves is journalContent that sorts every table.
type shelves struct {
	tables map[Table]*shelf
	memory *budget.Budget
}

func newShelves(memory *budget.Budget) *shelves {
	return &shelves{tables: map[Table]*shelf{}, memory: memory}
}

func (s *shelves) wants(Table) bool { return true }

func (s *shelves) take(k kind, words [][]word, texts []string) (bool, error) {
	have := s.tables[k.table()]
	if have == nil {
		have = newShelf(k, s.memory)
		s.tables[k.table()] = have
	}
	return true, have.add(words, texts)
}
