package flatparquet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Rows that are passed over change nothing of those that are read, whatever the pages.
func TestChosenRowsAreThoseOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows, batch = 3000, 200
	data := written(t, randomRows(rows, r), parquet.PageBufferSize(700))
	open := func() (*Reader, [][]int64) {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		columns, into := make([]int, len(f.Columns)), make([][]int64, len(f.Columns))
		for i := range columns {
			columns[i], into[i] = i, make([]int64, batch)
		}
		reader, err := f.Read(columns, &account{limit: 10 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(reader.Close)
		return reader, into
	}
	whole, all := open()
	some, part := open()
	for {
		n, err := whole.Next(all, 0, nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var wanted []Span
		m, err := some.Next(part, 1, func(n int) []Span {
			for at := r.IntN(20); at < n; at += r.IntN(90) {
				to := min(at+r.IntN(40), n)
				wanted = append(wanted, Span{at, to})
				at = to
			}
			return wanted
		})
		if err != nil || m != n {
			t.Fatalf("%d rows, want %d: %v", m, n, err)
		}
		for c := range all {
			for _, s := range wanted {
				for i := s.From; i < s.To; i++ {
					got, want := part[c][i], all[c][i]
					if c >= 11 { // texts are numbered as they are met
						if some.Texts.List[got] != whole.Texts.List[want] {
							t.Fatalf("column %d, row %d: %q, want %q", c, i, some.Texts.List[got], whole.Texts.List[want])
						}
					} else if got != want {
						t.Fatalf("column %d, row %d: %d, want %d", c, i, got, want)
					}
				}
			}
		}
	}
}

// Each page is told before it is unpacked, and an error ends the reading there.
func TestUnpackIsAsked(t *testing.T) {
	data := written(t, randomRows(3000, rand.New(rand.NewPCG(5, 6))), parquet.PageBufferSize(700))
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := f.Read([]int{0}, &account{limit: 10 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	refused := errors.New("enough")
	var packed, unpacked int64
	pages, into := 0, [][]int64{make([]int64, 3000)}
	reader.Unpack = func(p, u int64) error {
		if pages == 3 {
			return refused
		}
		pages++
		packed, unpacked = packed+p, unpacked+u
		return nil
	}
	if _, err := reader.Next(into, 1, nil); !errors.Is(err, refused) || pages != 3 || packed <= 0 || packed > int64(len(data)) || unpacked < packed/2 {
		t.Errorf("%d pages, %d bytes and %d unpacked: %v", pages, packed, unpacked, err)
	}
}

// A page without values is none of rtrail: a column could have any number of them.
func TestPageWithoutValues(t *testing.T) {
	c := &cursor{chunk: chunk{values: 10, to: 100}}
	for _, h := range []pageHeader{{kind: pageData}, {kind: pageData2}} {
		if err := h.check(c); err == nil {
			t.Errorf("kind %d is taken", h.kind)
		}
		if h.values = 1; h.check(c) != nil {
			t.Errorf("kind %d with a value: %v", h.kind, h.check(c))
		}
	}
	if err := (&pageHeader{kind: pageDictionary}).check(c); err != nil {
		t.Errorf("an empty dictionary: %v", err)
	}
}
