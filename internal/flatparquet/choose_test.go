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
