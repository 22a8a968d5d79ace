package recording

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
)

// Things come, go, change places, are there twice or do nothing: what is read
// is what was written, and a segment made of it has every row.
func TestSamplesOfThingsThatComeAndGo(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing shares what it uses")
	}
	r := rand.New(rand.NewPCG(11, 12))
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	for round := range 50 {
		var written, read deltaTable
		k, texts := kindByName(SoftIRQs), newTextList()
		s := newShelf(k, nil)
		var things, want []SoftIRQSample
		for i := range 40 {
			things = append(things, SoftIRQSample{Kind: fmt.Sprint("kind", i%7), CPU: int32(i / 7)})
		}
		for second := range 20 {
			at := time.Unix(int64(second), 0).UTC()
			list := slices.Clone(things[r.IntN(10):])
			switch r.IntN(4) {
			case 0:
				r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			case 1:
				list = append(list, list[r.IntN(len(list))])
			}
			for i := range list {
				list[i].At = at
			}
			for range r.IntN(5) {
				one := &list[r.IntN(len(list))]
				one.Count += uint64(r.IntN(100))
			}
			words := k.load(&table[SoftIRQSample]{list: list}, 0, len(list), texts, nil)
			copied := make([][]word, len(words))
			for c := range words {
				copied[c] = slices.Clone(words[c])
			}
			got, err := read.decode(k, written.encode(k, words), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(copied, got.words); diff != "" {
				t.Fatalf("round %d, second %d: %s", round, second, diff)
			}
			if err := s.add(got, texts.list); err != nil {
				t.Fatal(err)
			}
			want = append(want, list...)
		}
		var out bytes.Buffer
		if err := s.writeParquet(&out, "host", compressor); err != nil {
			t.Fatal(err)
		}
		all := &table[SoftIRQSample]{}
		if _, err := k.readParquet(t.Context(), bytes.NewReader(out.Bytes()), int64(out.Len()), readOptions{memory: budget.New(1 << 30)}, all); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(all.list, func(a, b SoftIRQSample) int {
			if a.Kind == b.Kind && a.CPU == b.CPU {
				return a.At.Compare(b.At)
			}
			return cmpThings(a, b)
		}) {
			t.Fatalf("round %d: the segment is not sorted by thing, then time", round)
		}
		slices.SortFunc(all.list, cmpRows)
		slices.SortFunc(want, cmpRows)
		if diff := cmp.Diff(want, all.list); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

func cmpThings(a, b SoftIRQSample) int {
	if a.Kind != b.Kind {
		return bytes.Compare([]byte(a.Kind), []byte(b.Kind))
	}
	return int(a.CPU) - int(b.CPU)
}

func cmpRows(a, b SoftIRQSample) int {
	for _, order := range []int{cmpThings(a, b), a.At.Compare(b.At), int(a.Count) - int(b.Count)} {
		if order != 0 {
			return order
		}
	}
	return 0
}
