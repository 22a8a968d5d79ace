package flatparquet

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// rowFields are the columns of row.
func rowFields() []Field {
	number := func(name string, t Type, bits int, unsigned, changing bool) Field {
		return Field{Column: Column{Name: name, Type: t}, Bits: bits, Unsigned: unsigned, Changing: changing}
	}
	return []Field{
		{Column: Column{Name: "at", Type: Int64, Unit: Nanoseconds}, Changing: true},
		number("dict", Int64, 64, false, false), number("delta", Int64, 64, false, true), number("plain", Int64, 64, false, true),
		number("narrow", Int32, 32, false, true), number("byte", Int32, 8, true, false), number("short", Int32, 16, false, false),
		number("word", Int32, 32, true, true), number("wide", Int64, 64, true, false),
		{Column: Column{Name: "float", Type: Double}, Changing: true}, {Column: Column{Name: "truth", Type: Boolean}},
		{Column: Column{Name: "text", Type: ByteArray}}, {Column: Column{Name: "free", Type: ByteArray}},
	}
}

// runsOf makes runs of rows, some of which are cut although the value goes on.
func runsOf(list []row, texts map[string]int64, r *rand.Rand) [][]Run {
	columns := make([][]Run, len(rowFields()))
	for _, x := range list {
		truth := int64(0)
		if x.Truth {
			truth = 1
		}
		for c, v := range []int64{x.At.UnixNano(), x.Dict, x.Delta, x.Plain, int64(x.Narrow), int64(x.Byte), int64(x.Short), int64(x.Word), int64(x.Wide),
			int64(math.Float64bits(x.Float)), truth, texts[x.Text], texts[x.Free]} {
			runs := columns[c]
			if n := len(runs); n > 0 && runs[n-1].Value == v && r.IntN(20) > 0 {
				runs[n-1].Rows++
				continue
			}
			columns[c] = append(runs, Run{v, 1})
		}
	}
	return columns
}

func writtenHere(t testing.TB, list []row, page int, r *rand.Rand) []byte {
	t.Helper()
	s := Schema{Name: "row", By: "a test", Fields: rowFields(), Texts: []string{""}}
	texts := map[string]int64{"": 0}
	for _, x := range list {
		for _, text := range []string{x.Text, x.Free} {
			if _, ok := texts[text]; !ok {
				texts[text] = int64(len(s.Texts))
				s.Texts = append(s.Texts, text)
			}
		}
	}
	compressor, err := NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	var out bytes.Buffer
	w := NewWriter(&out, s, compressor)
	for len(list) > 0 {
		n := min(page, len(list))
		if err := w.Write(runsOf(list[:n], texts, r)); err != nil {
			t.Fatal(err)
		}
		list = list[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// steadyRows change as what is recorded does: hardly.
func steadyRows(n int, r *rand.Rand) []row {
	list := randomRows(n, r)
	for i := 1; i < n; i++ {
		at := list[i].At
		if r.IntN(50) > 0 {
			list[i] = list[i-1]
		}
		list[i].At = at
	}
	return list
}

// What is written is read as it was, by the reader of this package and by the library.
func TestWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 130, 257, 1000, 5000} {
		for name, make := range map[string]func(int, *rand.Rand) []row{"random": randomRows, "steady": steadyRows} {
			for _, page := range []int{3, 129, PageRows} {
				want := make(n, r)
				data := writtenHere(t, want, page, r)
				got, err := readAll(data, 100, &account{limit: 10 << 20})
				if err != nil {
					t.Fatalf("%d %s rows, pages of %d: %v", n, name, page, err)
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%d %s rows, pages of %d: %s", n, name, page, diff)
				}
				theirs, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
				if err != nil {
					t.Fatalf("%d %s rows, pages of %d: the library: %v", n, name, page, err)
				}
				if diff := cmp.Diff(want, theirs, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%d %s rows, pages of %d: the library: %s", n, name, page, diff)
				}
			}
		}
	}
}

// A file of this package has the schema that the library gives to the same rows,
// and bounds that are true.
func TestWriterDescribes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	list := randomRows(500, r)
	data := writtenHere(t, list, 100, r)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := file.Schema().String(), parquet.SchemaOf(row{}).String(); got != want {
		t.Errorf("schema %s, the library makes %s", got, want)
	}
	least, greatest := list[0].Wide, list[0].Wide
	for _, x := range list {
		least, greatest = min(least, x.Wide), max(greatest, x.Wide)
	}
	for _, c := range file.RowGroups()[0].ColumnChunks() {
		chunk := c.(*parquet.FileColumnChunk)
		if file.Schema().Columns()[c.Column()][0] != "wide" {
			continue
		}
		from, to, ok := chunk.Bounds()
		if !ok || from.Uint64() != least || to.Uint64() != greatest {
			t.Errorf("wide is said to go from %v to %v, and goes from %d to %d", from, to, least, greatest)
		}
	}
}

// More rows than a group may have go into several.
func TestWriterGroups(t *testing.T) {
	compressor, err := NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	var out bytes.Buffer
	w := NewWriter(&out, Schema{Name: "x", Fields: []Field{{Column: Column{Name: "a", Type: Int64}, Bits: 64}}}, compressor)
	const pages = groupRows/PageRows + 3
	for i := range pages {
		if err := w.Write([][]Run{{{int64(i), PageRows}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.RowGroups()); n != 2 || file.NumRows() != pages*PageRows {
		t.Errorf("%d groups of %d rows", n, file.NumRows())
	}
	if err := w.Write([][]Run{{{0, PageRows + 1}}}); err == nil {
		t.Error("more rows than a page has were taken")
	}
	if err := w.Write([][]Run{{{0, 1}}, {{0, 2}}}); err == nil {
		t.Error("columns of different lengths were taken")
	}
}

// A value that a column cannot have is refused, not cut.
func TestWriterRefuses(t *testing.T) {
	compressor, err := NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	for _, c := range []struct {
		field Field
		value int64
		taken bool
	}{
		{Field{Column: Column{Type: Int32}, Bits: 8}, 127, true}, {Field{Column: Column{Type: Int32}, Bits: 8}, -128, true},
		{Field{Column: Column{Type: Int32}, Bits: 8}, 128, false}, {Field{Column: Column{Type: Int32}, Bits: 8}, -129, false},
		{Field{Column: Column{Type: Int32}, Bits: 32, Unsigned: true}, math.MaxUint32, true},
		{Field{Column: Column{Type: Int32}, Bits: 32, Unsigned: true}, math.MaxUint32 + 1, false},
		{Field{Column: Column{Type: Int32}, Bits: 32, Unsigned: true}, -1, false},
		{Field{Column: Column{Type: Int64}, Bits: 64, Unsigned: true}, -1, true},
		{Field{Column: Column{Type: ByteArray}}, 1, true}, {Field{Column: Column{Type: ByteArray}}, 2, false}, {Field{Column: Column{Type: ByteArray}}, -1, false},
		{Field{Column: Column{Type: Boolean}}, 2, false},
	} {
		w := NewWriter(io.Discard, Schema{Fields: []Field{c.field}, Texts: []string{"", "a"}}, compressor)
		if err := w.Write([][]Run{{{c.value, 1}}}); (err == nil) != c.taken {
			t.Errorf("%d into %v of %d bits: %v", c.value, c.field.Type, c.field.Bits, err)
		}
	}
}
