package recording

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"rtrail/internal/flatparquet"
)

// On disk every value is a word: integers and durations as they are, floats by
// their bits, times as nanoseconds since 1970, text as its number in a list of
// texts. One kind of value means one way to compare, to subtract and to store. Times that
// no source tells better are milliseconds since 1970: their differences take half the bytes.
type word = int64

// column is one field of a row type.
type column struct {
	name  string
	field string // its name in the struct
	codec
	bits int     // of numbers; those of an int are those of the machine
	unit word    // of times, in nanoseconds
	at   uintptr // where the field lies in the row
}

type columnKind uint8

const (
	integer columnKind = iota
	unsigned
	float
	boolean
	text
	moment
)

// kind knows how rows of one table become words and Parquet, and back.
type kind struct {
	name     Table
	rowName  string // how rows are called in Parquet files
	rowBytes int64
	columns  []column
	key      []int           // positions in columns
	stretch  int             // position of stretchColumn; -1: rows tell of moments
	places   map[string]int  // of columns, by name and earlier name
	ages     map[string]int  // of the columns that tell when, by the earlier names of those that told how long ago
	retired  map[string]bool // names of columns of earlier versions: see retiredColumns
	holds    holding
	empty    func() rows
}

// earlierName is what a column was called in format 1, where names had no units.
// A table that has a column of that name now has always had both.
func earlierName(name string) string {
	for _, unit := range []string{"_ns", "_bytes", "_pages", "_percent"} {
		if before, ok := strings.CutSuffix(name, unit); ok {
			return before
		}
	}
	return name
}

// kindOf describes a row type by its struct tags. Keys must name columns: a
// wrong one is a mistake in the catalogue, found by any test that loads it.
func kindOf[T Row](keys ...string) *kind {
	var zero T
	return describe(&kind{name: zero.Table(), empty: func() rows { return &table[T]{} }}, reflect.TypeFor[T](), keys)
}

func describe(k *kind, row reflect.Type, keys []string) *kind {
	k.rowName, k.rowBytes, k.columns = row.Name(), int64(row.Size()), columnsOf(row, 0)
	k.places, k.ages = map[string]int{}, map[string]int{}
	if first := k.columns[0]; first.name != "at" || first.kind != moment {
		panic(fmt.Sprintf("rows of %s do not begin with the time of their reading", k.name))
	}
	for c, col := range k.columns {
		k.places[earlierName(col.name)] = c
	}
	for c, col := range k.columns {
		k.places[col.name] = c
	}
	k.retired = map[string]bool{}
	for name := range strings.FieldsSeq(retiredColumns[k.name]) {
		k.retired[name], k.retired[earlierName(name)] = true, true
	}
	k.stretch = k.column(stretchColumn)
	for _, name := range keys {
		at := slices.IndexFunc(k.columns, func(c column) bool { return c.name == name })
		if at < 0 {
			panic(fmt.Sprintf("table %s has no column %s", k.name, name))
		}
		k.key = append(k.key, at)
	}
	return k
}

// columnsOf are the fields of a struct that begins at an offset of a row, and those
// of the structs that it embeds.
func columnsOf(t reflect.Type, at uintptr) (list []column) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			list = append(list, columnsOf(f.Type, at+f.Offset)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		codec, ok := codecOf(f.Type)
		if !ok {
			panic(fmt.Sprintf("field %s: rows hold numbers, text, booleans and times, not %s", f.Name, f.Type))
		}
		col := column{name: name, field: f.Name, codec: codec, at: at + f.Offset}
		if col.kind == integer || col.kind == unsigned {
			col.bits = f.Type.Bits()
		}
		if col.kind == moment {
			if col.unit = 1; options == "timestamp(millisecond)" {
				col.codec, col.unit = milliseconds, word(time.Millisecond)
			}
		}
		list = append(list, col)
	}
	return list
}

// log says that rows of the table are ofLog.
func (k *kind) log() *kind { k.holds.span = ofLog; return k }

// capture says that rows of the table are ofCapture.
func (k *kind) capture() *kind { k.holds.span = ofCapture; return k }

// lasts says that rows of the table are ofThing. Of things that come and go it is
// told where they are seen: see holding.
func (k *kind) lasts(column string, tables ...Table) *kind {
	k.holds = holding{span: ofThing, column: column, tables: tables}
	return k
}

// aged says that earlier versions kept in one column how long before at something was,
// where another one now tells when. An age changes with each sample, a time does not.
func (k *kind) aged(age, when string) *kind {
	c := k.column(when)
	if c < 0 || k.columns[c].kind != moment {
		panic(fmt.Sprintf("table %s has no time %s", k.name, when))
	}
	k.ages[age], k.ages[earlierName(age)] = c, c
	return k
}

// written is the column that holds what was written under a name; age: as how long
// before at it was. -1: there is none.
func (k *kind) written(name string) (c int, age bool) {
	if c, ok := k.ages[name]; ok {
		return c, true
	}
	return k.column(name), false
}

// column is the place of a column, under its name or that of format 1; -1: there
// is none of that name.
func (k *kind) column(name string) int {
	if c, ok := k.places[name]; ok {
		return c
	}
	return -1
}

// within sets the interval of rows of captures.
func (k *kind) within(r rows, interval time.Time) {
	at := k.column("interval")
	if at < 0 {
		return
	}
	r.join()
	r.chunks(0, r.count(), func(some raw) {
		for i := range some.n {
			*field[time.Time](some.field(k.columns[at]), i) = interval
		}
	})
}

// load turns rows first up to last into words, one slice per column, in the memory
// of reuse if there is any.
func (k *kind) load(from rows, first, last int, texts *textList, reuse [][]word) [][]word {
	words := k.room(reuse, last-first)
	k.fill(words, 0, from, first, last, texts)
	return words
}

// room is memory for the words of n rows, that of reuse if there is any.
func (k *kind) room(reuse [][]word, n int) [][]word {
	words := reuse
	if words == nil {
		words = make([][]word, len(k.columns))
	}
	for c := range words {
		words[c] = slices.Grow(words[c][:0], n)[:n]
	}
	return words
}

// fill turns rows first up to last into words from a place on.
func (k *kind) fill(words [][]word, at int, from rows, first, last int, texts *textList) {
	from.chunks(first, last, func(some raw) {
		for c, col := range k.columns {
			col.load(words[c][at:at+some.n], some.field(col), texts)
		}
		at += some.n
	})
}

// store appends rows made of words, those that are wanted.
func (k *kind) store(into rows, words [][]word, texts []string, wanted []flatparquet.Span) error {
	first := into.count()
	for _, s := range wanted {
		list := into.extend(s.To - s.From)
		for c, col := range k.columns {
			if err := col.store(list.field(col), words[c][s.From:s.To], texts); err != nil {
				into.retain(first, func(int) bool { return false })
				return fmt.Errorf("table %s: column %s: %w", k.name, col.name, err)
			}
		}
	}
	return nil
}

// choose finds the rows, of the first n, that keep does not refuse.
func (k *kind) choose(words [][]word, n int, keep func(at, stretch word) bool) (wanted []flatparquet.Span) {
	if keep == nil {
		return []flatparquet.Span{{To: n}}
	}
	for i := range n {
		stretch := word(0)
		if k.stretch >= 0 {
			stretch = words[k.stretch][i]
		}
		switch last := len(wanted) - 1; {
		case !keep(words[0][i], stretch):
		case last >= 0 && wanted[last].To == i:
			wanted[last].To++
		default:
			wanted = append(wanted, flatparquet.Span{From: i, To: i + 1})
		}
	}
	return wanted
}

// noTime is what UnixNano makes of the zero time, in memory as in Parquet.
var noTime = time.Time{}.UnixNano()

// timeOf is the time a word stands for, in UTC.
func timeOf(w word) time.Time {
	if w == noTime {
		return time.Time{}
	}
	return time.Unix(0, w).UTC()
}

// textList numbers texts: each is stored once, and equal texts share memory.
type textList struct {
	numbers map[string]word
	list    []string // by number; 0 is ""
	bytes   int64
}

func newTextList() *textList {
	return &textList{numbers: map[string]word{"": 0}, list: []string{""}}
}

func (t *textList) number(s string) word {
	if n, ok := t.numbers[s]; ok {
		return n
	}
	n := word(len(t.list))
	t.numbers[s] = n
	// Parquet readers refuse text that is not UTF-8, and names of processes
	// and files may be any bytes.
	t.list = append(t.list, strings.ToValidUTF8(s, "\uFFFD"))
	t.bytes += int64(len(s))
	return n
}

// compareWords orders two words of a column as people would.
func compareWords(kind columnKind, a, b word, texts []string) int {
	switch kind {
	case text:
		return strings.Compare(texts[a], texts[b])
	case unsigned:
		return cmp.Compare(uint64(a), uint64(b))
	default:
		return cmp.Compare(a, b)
	}
}
