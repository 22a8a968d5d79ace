package recording

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	kzstd "github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
)

// evidence is what a hostile file may make a reader keep in these tests, and
// hostileHeap what the process may have beside: pages and samples at hand.
const (
	evidence    = 32 << 20
	hostileHeap = 300 << 20
)

// heapOf is the most that the heap held while f ran, above what it held before.
func heapOf(f func()) int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return int64(most - before)
}

// folder makes a recording of files by their names.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	if files[manifestFile] == nil {
		files[manifestFile] = []byte(`{"format":1}`)
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const hostileSegment = segmentsFolder + "/20260131T030000.000000000Z/"

// zstdPages is how rtrail compresses.
var zstdPages = parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1})

func parquetWith[T any](t *testing.T, codec parquet.WriterOption, batches int, row func(i int) T, per int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, codec)
	n := 0
	for range batches {
		list := make([]T, per)
		for i := range list {
			list[i] = row(n)
			n++
		}
		if _, err := w.Write(list); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// journalOf is a journal with whole blocks of a sample, written a number of times:
// each time as a frame of its own, which is packed once.
func journalOf(t *testing.T, samples int, item any) []byte {
	t.Helper()
	b, err := cbor.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	z, err := kzstd.NewWriter(nil, kzstd.WithEncoderConcurrency(1), kzstd.WithWindowSize(journalWindow))
	if err != nil {
		t.Fatal(err)
	}
	packed := bytes.Repeat(z.EncodeAll(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...), nil), samples)
	out := []byte(journalMagic)
	for rest := packed; len(rest) > 0; {
		b := rest[:min(len(rest), maxBlockBytes)]
		rest = rest[len(b):]
		out = binary.LittleEndian.AppendUint32(out, uint32(len(b)))
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(b, castagnoli))
		out = append(out, b...)
	}
	return out
}

func runsOf(values ...word) []byte {
	var r runWriter
	for _, v := range values {
		r.put(v)
	}
	return r.bytes()
}

// Small files that unpack to much are read as far as the budget goes, and what
// was left out is said.
func TestSmallFilesThatUnpackToMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	compressed := parquet.Compression(&zstd.Codec{Level: zstd.SpeedBestCompression, Concurrency: 1})
	tables := map[string]tableBlock{}
	for _, k := range catalogue {
		n := maxBlockWords / len(k.columns) / 2 // all of them fit into a sample
		tables[string(k.name)] = tableBlock{Rows: n, Previous: allNew(n)}
	}
	columns := map[string][]byte{}
	for i := range 100_000 {
		columns[fmt.Sprint(i)] = nil
	}
	disks := sample{Tables: map[string]tableBlock{string(Disks): {Rows: 50000, Previous: allNew(50000), Columns: map[string][]byte{}}}}
	for name, c := range map[string]struct {
		files map[string][]byte
		note  string
	}{
		"texts in a dictionary": {map[string][]byte{hostileSegment + "kernel_log.parquet": bigTexts(t)}, "thousands of times"},
		"rows of nothing": {map[string][]byte{hostileSegment + "processes.parquet": parquetWith(t, compressed, 40, func(int) ProcessSample { return ProcessSample{} }, 10000)},
			"more rows than fit"},
		"a journal of rows":        {map[string][]byte{journalFile: journalOf(t, 200, disks)}, "more rows than fit"},
		"a journal of tables":      {map[string][]byte{journalFile: journalOf(t, 1, sample{Tables: tables})}, "more rows than fit"},
		"a journal of texts":       {map[string][]byte{journalFile: journalOf(t, 100, sample{Texts: slices.Repeat([][]byte{bytes.Repeat([]byte{'x'}, 1<<20)}, 10)})}, "more rows than fit"},
		"a journal of empty texts": {map[string][]byte{journalFile: journalOf(t, 20, sample{Texts: make([][]byte, 1<<20)})}, "more rows than fit"},
		"a journal of nothing":     {map[string][]byte{journalFile: journalOf(t, 200, map[string]any{"novelty": strings.Repeat("x", 1<<20)})}, "thousands of times"},
		"a list of columns":        {map[string][]byte{journalFile: journalOf(t, 1, map[string]any{"t": map[string]any{"disks": map[string]any{"n": 1, "c": columns}}})}, "exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			size := 0
			for _, data := range c.files {
				size += len(data)
			}
			if size > 8<<20 {
				t.Fatalf("this is no small file: %d bytes", size)
			}
			path := folder(t, c.files)
			var rec *Recording
			var err error
			memory := budget.New(evidence)
			heap := heapOf(func() { rec, err = Open(budget.With(context.Background(), memory), path) })
			if heap > hostileHeap {
				t.Errorf("%d bytes of file took %d of heap", size, heap)
			}
			if memory.Used() > evidence {
				t.Errorf("%d bytes charged", memory.Used())
			}
			said := fmt.Sprint(err)
			if err == nil {
				said = strings.Join(rec.Manifest().Notes, "\n")
			}
			if !strings.Contains(said, c.note) {
				t.Errorf("it is not said that something was left out: %s", said)
			}
			// A second look counts rows, and packing copies bytes: neither keeps them.
			if heap := heapOf(func() { _, _ = Inspect(budget.With(context.Background(), budget.New(evidence)), path) }); heap > hostileHeap {
				t.Errorf("to inspect %d bytes of file took %d of heap", size, heap)
			}
			// The way of a journal into a segment is bounded, too.
			if data := c.files[journalFile]; data != nil {
				memory := budget.New(evidence)
				heap := heapOf(func() { _, err = readJournal(context.Background(), bytes.NewReader(data), memory, newShelves(memory)) })
				if heap > hostileHeap {
					t.Errorf("sorting %d bytes of journal took %d of heap", size, heap)
				}
			}
		})
	}
}

// Many journals that are nothing when packed are read no longer than one of them.
func TestManySmallJournals(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	novelty := journalOf(t, 60, map[string]any{"novelty": strings.Repeat("x", 1<<20)})
	n := maxBlockWords / len(kindByName(Softnet).columns)
	rows := journalOf(t, 20, sample{Tables: map[string]tableBlock{string(Softnet): {Rows: n, Previous: allNew(n)}}})
	for name, data := range map[string][]byte{"bytes": novelty, "rows": rows} {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{manifestFile: []byte(`{"format":1}`)}
			for i := range 40 {
				files[fmt.Sprintf("%s/20260131T030000.%09dZ/%s", segmentsFolder, i, journalFile)] = data
			}
			src, err := openSource(zipOf(t, files))
			if err != nil {
				t.Fatal(err)
			}
			// Rows that are out of the range take no memory.
			o := &opener{ctx: t.Context(), src: src, segments: src.segments(), in: readOptions{from: time.Date(2026, 1, 31, 3, 0, 30, 0, time.UTC)}}
			_, _ = o.open()
			f, err := src.open(manifestFile)
			if err != nil {
				t.Fatal(err)
			}
			e := f.effort
			if most := max(shortJournal, maxJournalRatio*e.read) + maxBlockBytes; e.plain == 0 || e.plain > most {
				t.Errorf("%d bytes of samples out of %d", e.plain, e.read)
			}
			if most := max(maxJournalRows, maxRowRatio*e.read) + maxBlockWords; e.rows > most {
				t.Errorf("%d rows out of %d bytes", e.rows, e.read)
			}
			if said := strings.Join(o.notes.all(), "\n"); !strings.Contains(said, "thousands of times") {
				t.Errorf("it is not said that something was left out: %s", said)
			}
			if err := errors.Join(f.Close(), src.close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Many tables that are nothing when packed are unpacked no longer than one of them.
func TestManySmallTables(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	const texts = 8
	list := make([]SoftIRQSample, texts)
	for i := range list {
		list[i] = SoftIRQSample{At: time.Unix(int64(i), 0), Kind: strings.Repeat("x", 1<<20) + fmt.Sprint(i)}
	}
	data := sealed(t, list)
	files := map[string][]byte{manifestFile: []byte(`{"format":1}`)}
	for i := range 40 {
		files[fmt.Sprintf("%s/20260131T030000.%09dZ/%s%s", segmentsFolder, i, SoftIRQs, parquetSuffix)] = data
	}
	src, err := openSource(zipOf(t, files))
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	o := &opener{ctx: t.Context(), src: src, segments: src.segments()}
	rec, err := o.open()
	if err != nil {
		t.Fatal(err)
	}
	if n := rec.Count(SoftIRQs); n < texts || n > shortJournal>>20+texts {
		t.Errorf("%d rows of a megabyte each", n)
	}
	if said := strings.Join(o.notes.all(), "\n"); !strings.Contains(said, "thousands of times") {
		t.Errorf("it is not said that something was left out: %s", said)
	}
}

// Reading a table ends within a batch of rows when nobody waits for it any more.
func TestStoppedTable(t *testing.T) {
	data := parquetOf(t, SoftIRQSample{At: time.Unix(1, 0), Kind: "NET_RX"}, SoftIRQSample{At: time.Unix(2, 0), Kind: "TIMER"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got table[SoftIRQSample]
	if _, err := kindByName(SoftIRQs).readParquet(ctx, bytes.NewReader(data), int64(len(data)), readOptions{}, &got); !errors.Is(err, context.Canceled) || len(got.list) != 0 {
		t.Errorf("%d rows, %v", len(got.list), err)
	}
}

// zipOf packs files by their names.
func zipOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.rtr")
	if err := errors.Join(z.Close(), os.WriteFile(path, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// An .rtr file whose files lie on each other is refused: each would be read whole.
func TestZipThatOverlaps(t *testing.T) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range 2 {
		w, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Store, CompressedSize64: 1500, UncompressedSize64: 1500})
		if err == nil {
			_, err = w.Write(make([]byte, 1000))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.rtr")
	if err := errors.Join(z.Close(), os.WriteFile(path, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, errOverlap) {
		t.Errorf("error %v", err)
	}
}

// bigTexts is a table with 100 MB of text in 100 rows.
func bigTexts(t *testing.T) []byte {
	t.Helper()
	list := make([]KernelLogLine, 100)
	for i := range list {
		list[i] = KernelLogLine{At: time.Unix(int64(i), 0), Text: fmt.Sprintf("%06d", i) + strings.Repeat("x", 1<<20)}
	}
	return sealed(t, list)
}

// sealed is what sealing makes of rows.
func sealed[T Row](t *testing.T, list []T) []byte {
	t.Helper()
	var zero T
	k, texts := kindByName(zero.Table()), newTextList()
	var written, read deltaTable
	rows, err := read.decode(k, written.encode(k, k.load(&table[T]{list: list}, 0, len(list), texts, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newShelf(k, nil)
	if err := s.add(rows, texts.list); err != nil {
		t.Fatal(err)
	}
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	var out bytes.Buffer
	if err := s.writeParquet(&out, "host", compressor); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// allNew says of n rows that none continues another one.
func allNew(n int) []byte {
	return bytes.Repeat(runsOf(-1), n)
}

// Only what rtrail writes is unpacked: other codecs claim what they like.
func TestOtherCodecs(t *testing.T) {
	for name, codec := range map[string]parquet.WriterOption{
		"snappy": parquet.Compression(&parquet.Snappy), "gzip": parquet.Compression(&parquet.Gzip),
		"lz4": parquet.Compression(&parquet.Lz4Raw), "brotli": parquet.Compression(&parquet.Brotli),
	} {
		data := parquetWith(t, codec, 1, func(i int) SoftnetSample { return SoftnetSample{At: time.Unix(7, 0)} }, 10)
		var got table[SoftnetSample]
		_, err := kindByName(Softnet).readParquet(t.Context(), bytes.NewReader(data), int64(len(data)), readOptions{}, &got)
		if err == nil || !strings.Contains(err.Error(), "compressed in another way") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A changed byte is refused, or changes values; it never asks for memory that the
// file does not fill.
func TestParquetWithOneByteChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	data := parquetWith(t, zstdPages, 1,
		func(i int) SoftnetSample { return SoftnetSample{At: time.Unix(int64(i), 0), Dropped: uint64(i * i)} }, 100)
	heap := heapOf(func() {
		for at := range data {
			for _, to := range []byte{0, 1, 2, 0x15, 0x7f, 0xff} {
				wrong := bytes.Clone(data)
				wrong[at] = to
				memory := budget.New(evidence)
				var got table[SoftnetSample]
				_, _ = kindByName(Softnet).readParquet(t.Context(), bytes.NewReader(wrong), int64(len(wrong)), readOptions{memory: memory}, &got)
			}
		}
	})
	if heap > hostileHeap {
		t.Errorf("%d bytes of heap", heap)
	}
}

// An .rtr file with a long table of contents is refused before it is kept.
func TestZipWithManyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.rtr")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	long := strings.Repeat("x", 60000)
	for i := range maxZipDirectory/60000 + 1 {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i, long)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	heap := heapOf(func() { _, err = Open(t.Context(), path) })
	if err == nil || !strings.Contains(err.Error(), "more files than any recording") {
		t.Errorf("error %v", err)
	}
	if heap > hostileHeap {
		t.Errorf("%d bytes of heap", heap)
	}
}

// A list of a million things is refused by its length, whatever it is in.
func TestLongManifest(t *testing.T) {
	long := bytes.Repeat([]byte("{},"), maxManifestBytes/3)
	path := folder(t, map[string][]byte{manifestFile: append(append([]byte(`{"format":1,"probes":[`), long...), "{}]}"...)})
	var err error
	heap := heapOf(func() { _, err = Open(t.Context(), path) })
	if err == nil || !strings.Contains(err.Error(), "manifest.json has") || heap > 100<<20 {
		t.Errorf("error %v, %d bytes of heap", err, heap)
	}
	path = folder(t, map[string][]byte{manifestFile: append(append([]byte(`{"format":1,"probes":[`), long[:len(long)-300]...), "{}]}"...)})
	heap = heapOf(func() { _, err = Open(t.Context(), path) })
	if err != nil || heap > 300<<20 {
		t.Errorf("error %v, %d bytes of heap", err, heap)
	}
}

// Who waits for an answer gets none when the user says stop, at once.
func TestOpenStops(t *testing.T) {
	data := journalOf(t, 3000, sample{Tables: map[string]tableBlock{string(Disks): {Rows: 50000, Previous: allNew(50000), Columns: map[string][]byte{}}}})
	path := folder(t, map[string][]byte{journalFile: data})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := OpenRange(ctx, path, time.Unix(5, 0), time.Unix(6, 0)) // no row is kept: they are of 1970
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("error %v after %v", err, took)
	}
}

var _ io.ReaderAt = (*boundedReaderAt)(nil)
