package flatparquet

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// row has every kind of column and encoding that rtrail writes.
type row struct {
	At     time.Time `parquet:"at,timestamp(nanosecond),delta"`
	Dict   int64     `parquet:"dict,dict"`
	Delta  int64     `parquet:"delta,delta"`
	Plain  int64     `parquet:"plain"`
	Narrow int32     `parquet:"narrow,delta"`
	Byte   uint8     `parquet:"byte,dict"`
	Short  int16     `parquet:"short"`
	Word   uint32    `parquet:"word,delta"`
	Wide   uint64    `parquet:"wide,dict"`
	Float  float64   `parquet:"float"`
	Truth  bool      `parquet:"truth"`
	Text   string    `parquet:"text,dict"`
	Free   string    `parquet:"free,plain"`
}

func randomRows(n int, r *rand.Rand) []row {
	list := make([]row, n)
	for i := range list {
		pick := func() int64 {
			return []int64{0, 0, 1, -1, int64(i), math.MaxInt64, math.MinInt64, int64(r.Uint64())}[r.IntN(8)]
		}
		list[i] = row{
			At: time.Unix(0, r.Int64N(1<<62)).UTC(), Dict: pick() % 5, Delta: int64(i*7) + r.Int64N(5), Plain: pick(), Narrow: int32(pick()),
			Byte: uint8(r.IntN(256)), Short: int16(pick()), Word: uint32(pick()), Wide: uint64(pick()), Float: r.NormFloat64(), Truth: r.IntN(3) == 0,
			Text: []string{"", "a", "naïve", "\x00"}[r.IntN(4)], Free: string(bytes.Repeat([]byte{'x'}, r.IntN(9))),
		}
		if i > 0 && r.IntN(2) == 0 {
			list[i] = list[i-1]
		}
	}
	return list
}

func written(t testing.TB, list []row, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	options = append([]parquet.WriterOption{parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1})}, options...)
	w := parquet.NewGenericWriter[row](&out, options...)
	if _, err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// account is memory with a limit.
type account struct{ used, most, limit int64 }

func (a *account) Take(n int64) bool {
	if a.used+n > a.limit {
		return false
	}
	a.used += n
	a.most = max(a.most, a.used)
	return true
}

func (a *account) Give(n int64) { a.used -= n }

func readAll(data []byte, batch int, memory Memory) (list []row, err error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	all := make([]int, len(f.Columns))
	into := make([][]int64, len(f.Columns))
	for i := range all {
		all[i], into[i] = i, make([]int64, batch)
	}
	r, err := f.Read(all, memory)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		n, err := r.Next(into, 0, nil)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		if len(f.Columns) != 13 {
			continue
		}
		for i := range n {
			list = append(list, row{
				At: time.Unix(0, into[0][i]).UTC(), Dict: into[1][i], Delta: into[2][i], Plain: into[3][i], Narrow: int32(into[4][i]),
				Byte: uint8(into[5][i]), Short: int16(into[6][i]), Word: uint32(into[7][i]), Wide: uint64(into[8][i]), Float: math.Float64frombits(uint64(into[9][i])),
				Truth: into[10][i] == 1, Text: r.Texts.List[into[11][i]], Free: r.Texts.List[into[12][i]],
			})
		}
	}
}

// What the library writes is read as it was, whatever the pages.
func TestReadsWhatTheLibraryWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 31, 32, 33, 128, 129, 1000, 5000} {
		want := randomRows(n, r)
		for name, options := range map[string][]parquet.WriterOption{
			"one page":     nil,
			"small pages":  {parquet.PageBufferSize(256)},
			"some groups":  {parquet.MaxRowsPerRowGroup(100)},
			"old pages":    {parquet.DataPageVersion(1), parquet.PageBufferSize(1000)},
			"uncompressed": {parquet.Compression(&parquet.Uncompressed)},
		} {
			data := written(t, want, options...)
			memory := &account{limit: 10 << 20}
			got, err := readAll(data, 100, memory)
			if err != nil {
				t.Fatalf("%d rows, %s: %v", n, name, err)
			}
			if diff := cmp.Diff(want, got); diff != "" && n > 0 {
				t.Fatalf("%d rows, %s: %s", n, name, diff)
			}
			if texts := memory.used; texts < 0 || texts > 20*(textCost+10) {
				t.Errorf("%d rows, %s: %d bytes are still charged", n, name, texts)
			}
		}
	}
}

// A file with any byte changed, or cut anywhere, gives rows or an error, and never
// takes more memory than it was allowed.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data := written(t, randomRows(40, r), parquet.MaxRowsPerRowGroup(20))
	for at := range data {
		wrong := bytes.Clone(data)
		wrong[at] ^= byte(1 << r.IntN(8))
		memory := &account{limit: 1 << 20}
		_, _ = readAll(wrong, 64, memory)
		if memory.used < 0 {
			t.Fatalf("byte %d: more was given back than taken: %d", at, memory.used)
		}
		if _, err := readAll(data[:at], 64, &account{limit: 1 << 20}); err == nil {
			t.Fatalf("cut at %d: no error", at)
		}
	}
}

func FuzzFile(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, options := range [][]parquet.WriterOption{nil, {parquet.Compression(&parquet.Uncompressed)}, {parquet.DataPageVersion(1)}} {
		f.Add(written(f, randomRows(50, r), options...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		memory := &account{limit: 1 << 20}
		_, _ = readAll(data, 64, memory)
		if memory.used < 0 {
			t.Errorf("more was given back than taken: %d", memory.used)
		}
	})
}
