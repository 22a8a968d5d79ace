package recording

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// On disk every value is a word: integers and durations as they are, floats by
// their bits, times as nanoseconds since 1970, text as its number in a list of
// texts. One kind of value means one way to compare, to subtract and to store.
type word = int64

// column is one field of a row type.
type column struct {
	name  string
	field string // its name in the struct
	codec
	bits int     // of numbers; those of an int are those of the machine
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
type kind interface {
	table() Table
	columns() []column
	column(name string) int
	key() []int // positions in columns
	holds() holding
	within(r rows, interval time.Time)
	empty() rows
	rowBytes() int64
	// load turns rows from..to into words, one slice per column, in the memory of
	// reuse if there is any.
	load(from rows, first, last int, texts *textList, reuse [][]word) [][]word
	// store appends rows made of words; those that keep refuses are left out.
	store(into rows, words [][]word, texts []string, keep func(time.Time) bool) error
	// sort puts rows into the order of their reading.
	sort(rows)
	// forgetThings drops rows of things: see Recording.Forget.
	forgetThings(from rows, before time.Time, there map[word]bool)
	// collect adds the values of a column of all rows.
	collect(from rows, column int, into map[word]bool)
	// rowName is how the rows are called in Parquet files.
	rowName() string
	readParquet(ctx context.Context, r io.ReaderAt, size int64, in readOptions, into rows) (ignored []string, err error)
}

type tableKind[T Row] struct {
	cols   []column
	keys   []int
	places map[string]int // of columns, by name and earlier name
	held   holding
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
func kindOf[T Row](keys ...string) *tableKind[T] {
	k := &tableKind[T]{places: map[string]int{}, cols: columnsOf(reflect.TypeFor[T](), 0)}
	if first := k.cols[0]; first.name != "at" || first.kind != moment {
		panic(fmt.Sprintf("rows of %s do not begin with the time of their reading", k.table()))
	}
	for c, col := range k.cols {
		k.places[earlierName(col.name)] = c
	}
	for c, col := range k.cols {
		k.places[col.name] = c
	}
	for _, name := range keys {
		at := slices.IndexFunc(k.cols, func(c column) bool { return c.name == name })
		if at < 0 {
			panic(fmt.Sprintf("table %s has no column %s", k.table(), name))
		}
		k.keys = append(k.keys, at)
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
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		codec, ok := codecOf(f.Type)
		if !ok {
			panic(fmt.Sprintf("field %s: rows hold numbers, text, booleans and times, not %s", f.Name, f.Type))
		}
		col := column{name: name, field: f.Name, codec: codec, at: at + f.Offset}
		if col.kind == integer || col.kind == unsigned {
			col.bits = f.Type.Bits()
		}
		list = append(list, col)
	}
	return list
}

// log says that rows of the table are ofLog.
func (k *tableKind[T]) log() kind { k.held.span = ofLog; return k }

// capture says that rows of the table are ofCapture.
func (k *tableKind[T]) capture() kind { k.held.span = ofCapture; return k }

// lasts says that rows of the table are ofThing. Of things that come and go it is
// told where they are seen: see holding.
func (k *tableKind[T]) lasts(column string, tables ...Table) kind {
	k.held = holding{span: ofThing, column: column, tables: tables}
	return k
}

// within sets the interval of rows of captures.
func (k *tableKind[T]) within(r rows, interval time.Time) {
	at := k.column("interval")
	if at < 0 {
		return
	}
	t := r.(*table[T])
	t.join()
	for i := range t.list {
		*field[time.Time](fieldsOf(t.list, k.cols[at]), i) = interval
	}
}

func (k *tableKind[T]) table() Table      { var zero T; return zero.Table() }
func (k *tableKind[T]) columns() []column { return k.cols }
func (k *tableKind[T]) key() []int        { return k.keys }
func (k *tableKind[T]) holds() holding    { return k.held }
func (k *tableKind[T]) empty() rows       { return &table[T]{} }
func (k *tableKind[T]) rowName() string   { return reflect.TypeFor[T]().Name() }
func (k *tableKind[T]) rowBytes() int64   { var zero T; return int64(unsafe.Sizeof(zero)) }

func (k *tableKind[T]) load(from rows, first, last int, texts *textList, reuse [][]word) [][]word {
	words := reuse
	if words == nil {
		words = make([][]word, len(k.cols))
	}
	for c := range words {
		words[c] = slices.Grow(words[c][:0], last-first)[:last-first]
	}
	done := 0
	from.(*table[T]).chunks(first, last, func(list []T) {
		for c, col := range k.cols {
			col.load(words[c][done:done+len(list)], fieldsOf(list, col), texts)
		}
		done += len(list)
	})
	return words
}

func (k *tableKind[T]) store(into rows, words [][]word, texts []string, keep func(time.Time) bool) error {
	t := into.(*table[T])
	n := len(words[0])
	if at := k.column("at"); n == 0 || keep != nil && at >= 0 && !slices.ContainsFunc(words[at], func(w word) bool { return keep(timeOf(w)) }) {
		return nil // most of what is read of a long recording is out of the range
	}
	first := len(t.list)
	t.list = slices.Grow(t.list, n)[:first+n]
	list := t.list[first:]
	clear(list)
	for c, col := range k.cols {
		if err := col.store(fieldsOf(list, col), words[c], texts); err != nil {
			t.list = t.list[:first]
			return fmt.Errorf("table %s: column %s: %w", k.table(), col.name, err)
		}
	}
	if keep != nil {
		kept := slices.DeleteFunc(list, func(r T) bool { return !keep(TimeOf(&r)) })
		t.list = t.list[:first+len(kept)]
	}
	return nil
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

// sort orders by time. Rows of one instant keep the order in which they came
// from a segment, which is the order of their keys.
func (k *tableKind[T]) sort(r rows) {
	slices.SortStableFunc(r.(*table[T]).list, func(a, b T) int { return TimeOf(&a).Compare(TimeOf(&b)) })
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
