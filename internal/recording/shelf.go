package recording

import (
	"encoding/binary"
	"fmt"
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
	kind    *kind
	series  map[uint64]*series // by hash of the key
	rows    int64
	texts   []string
	changes []int64 // per column: rows that differ from the one before

	samples      int
	now, earlier []*series // of each row of the last sample, and of the one before
	some, all    []int     // columns: those that changed, and all
}

// series is the rows of one thing.
type series struct {
	first []word
	last  []word
	data  []byte // per row: runs of unchanged columns and differences
	rows  int
	next  *series // with the same hash

	sample, row int // where its last row was
}

func newShelf(k *kind, memory *budget.Budget) *shelf {
	s := &shelf{memory: memory, seed: rand.Uint64(), kind: k, series: map[uint64]*series{}, changes: make([]int64, len(k.columns))}
	for c := range s.changes {
		s.all = append(s.all, c)
	}
	return s
}

// seriesCost is what a thing takes beside its two rows, and rowCost what a row
// takes beside its bytes while the list of them grows.
const (
	seriesCost = 160
	rowCost    = 2
)

// add takes one table of one sample.
func (s *shelf) add(read *rowsRead, texts []string) error {
	s.texts = texts
	if err := s.checkTexts(read); err != nil {
		return err
	}
	s.some = s.some[:0]
	for c, differs := range read.differs {
		if differs {
			s.some = append(s.some, c)
		}
	}
	s.samples++
	s.now, s.earlier = s.earlier[:0], s.now
	key := s.kind.key
	for i := range read.before {
		one, columns := s.continued(read, i), s.some
		if one == nil {
			h := hashKey(s.seed, key, read.words, i)
			var err error
			if one, err = s.find(h, read.words, i); err != nil {
				return err
			}
			columns = s.all
		}
		before := len(one.data)
		one.add(read.words, i, columns, s.changes)
		if !s.memory.Take(rowCost * int64(len(one.data)-before)) {
			return errTooLarge
		}
		one.sample, one.row = s.samples, i
		s.now = append(s.now, one)
	}
	s.rows += int64(len(read.before))
	return nil
}

// continued is the series that a row continues, if it is about the same thing as
// the row before and that one is the last of the series: it then differs in some
// columns at most. nil: it must be looked for.
func (s *shelf) continued(read *rowsRead, row int) *series {
	before := int(read.before[row])
	if before < 0 || before >= len(s.earlier) {
		return nil
	}
	one := s.earlier[before]
	if one.sample != s.samples-1 || one.row != before {
		return nil
	}
	for _, c := range s.kind.key {
		if read.differs[c] && read.words[c][row] != one.first[c] {
			return nil
		}
	}
	return one
}

// checkTexts refuses texts that are not there: series are sorted by them.
func (s *shelf) checkTexts(read *rowsRead) error {
	for c, col := range s.kind.columns {
		if col.kind != text || !read.differs[c] {
			continue
		}
		for _, w := range read.words[c] {
			if w < 0 || w >= word(len(s.texts)) {
				return &damageError{fmt.Errorf("table %s, column %s: text %d of %d", s.kind.name, col.name, w, len(s.texts))}
			}
		}
	}
	return nil
}

func (s *shelf) find(h uint64, words [][]word, row int) (*series, error) {
	key := s.kind.key
	for have := s.series[h]; have != nil; have = have.next {
		if !slices.ContainsFunc(key, func(c int) bool { return have.first[c] != words[c][row] }) {
			return have, nil
		}
	}
	if !s.memory.Take(2*wordBytes*int64(len(words)) + seriesCost) {
		return nil, errTooLarge
	}
	both := make([]word, 2*len(words))
	made := &series{first: both[:len(words)], last: both[len(words):], next: s.series[h]}
	for c := range words {
		made.first[c] = words[c][row]
		made.last[c] = words[c][row]
	}
	s.series[h] = made
	return made, nil
}

// add takes a row that differs from the last one in these columns at most.
func (s *series) add(words [][]word, row int, columns []int, changes []int64) {
	out := runWriter{out: s.data}
	next := 0 // column
	for _, c := range columns {
		d := words[c][row] - s.last[c]
		if d == 0 {
			continue
		}
		changes[c]++
		s.last[c] += d
		out.zeros, next = uint64(c-next), c+1
		out.put(d)
	}
	out.zeros = uint64(len(words) - next)
	s.data = out.bytes()
	s.rows++
}

// sorted lists the series in the order of their keys.
func (s *shelf) sorted() []*series {
	var all []*series
	for one := range maps.Values(s.series) {
		for ; one != nil; one = one.next {
			all = append(all, one)
		}
	}
	cols := s.kind.columns
	slices.SortFunc(all, func(a, b *series) int {
		for _, c := range s.kind.key {
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
	p := newRunPage(len(s.kind.columns))
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

// take gives the runs, which hold until the next row is added, and starts over.
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

func (s *shelves) take(k *kind, read *rowsRead, texts []string) (bool, error) {
	have := s.tables[k.name]
	if have == nil {
		have = newShelf(k, s.memory)
		s.tables[k.name] = have
	}
	return true, have.add(read, texts)
}
