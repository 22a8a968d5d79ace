package recording

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
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

// runs hands over all rows, thing by thing, as runs of each column, in pages that
// are used again.
func (s *shelf) runs(yield func([][]flatparquet.Run) error) error {
	p := newRunPage(len(s.kind.columns()))
	for _, one := range s.sorted() {
		data := one.data
		p.begin(one.first)
		for range one.rows {
			data = p.add(data)
			if p.rows == flatparquet.PageRows {
				if err := yield(p.take()); err != nil {
					return err
				}
			}
		}
	}
	if p.rows == 0 {
		return nil
	}
	return yield(p.take())
}

// runPage is some rows as runs. Most columns of most rows repeat the row before:
// nothing is done for them.
type runPage struct {
	columns [][]flatparquet.Run
	rows    int
	value   []word // per column, of the last row
	since   []int  // per column, the row from which on it holds
}

func newRunPage(columns int) *runPage {
	return &runPage{columns: make([][]flatparquet.Run, columns), value: make([]word, columns), since: make([]int, columns)}
}

// begin starts another thing.
func (p *runPage) begin(first []word) {
	for c, v := range first {
		p.set(c, v)
	}
}

// add takes one row, as differences to the one before, and returns the rest of
// the bytes.
func (p *runPage) add(data []byte) []byte {
	for c := 0; c < len(p.value); {
		d, n := binary.Varint(data)
		data = data[n:]
		if d != 0 {
			p.set(c, p.value[c]+d)
			c++
			continue
		}
		zeros, n := binary.Uvarint(data)
		data = data[n:]
		c += int(zeros) + 1
	}
	p.rows++
	return data
}

// set gives a column another value from this row on.
func (p *runPage) set(c int, v word) {
	if v == p.value[c] {
		return
	}
	p.end(c)
	p.value[c] = v
}

// end ends the run of a column before this row.
func (p *runPage) end(c int) {
	if p.rows > p.since[c] {
		p.columns[c] = append(p.columns[c], flatparquet.Run{Value: p.value[c], Rows: p.rows - p.since[c]})
		p.since[c] = p.rows
	}
}

// take gives the runs, which hold until the next row is added, and begins anew.
func (p *runPage) take() [][]flatparquet.Run {
	columns := make([][]flatparquet.Run, len(p.columns))
	for c := range columns {
		p.end(c)
		columns[c] = p.columns[c]
		p.columns[c] = p.columns[c][:0]
	}
	p.rows = 0
	clear(p.since)
	return columns
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
