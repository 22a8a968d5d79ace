package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
)

// fuzzMemory bounds what a hostile file may make a reader keep.
const fuzzMemory = 64 << 20

func FuzzJournal(f *testing.F) {
	j, err := createJournal(newFile(f))
	if err != nil {
		f.Fatal(err)
	}
	for i := range 3 {
		w := NewWriter(time.Unix(int64(i), 0))
		Append(w, SoftIRQSample{At: w.Started, Kind: "NET_RX", Count: uint64(i)}, SoftIRQSample{At: w.Started, Kind: "TIMER"})
		Append(w, SystemSample{At: w.Started, Load1: float64(i)})
		if err := j.append(w.tables); err != nil {
			f.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(j.file.Name())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte(journalMagic))
	f.Add([]byte("rtrail journal 2\nnewer"))
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		memory := budget.New(fuzzMemory)
		rec := New(Manifest{})
		notes, err := readJournal(t.Context(), bytes.NewReader(data), memory, &collector{in: readOptions{memory: memory}, rec: rec})
		if err != nil && !errors.Is(err, errTooLarge) && len(rec.tables) > 0 {
			t.Errorf("rows and an error: %v", err)
		}
		if len(notes) > 1000 {
			t.Errorf("%d notes", len(notes))
		}
		// The way of a journal into a segment must stand the same.
		memory = budget.New(fuzzMemory)
		sorted := newShelves(memory)
		if _, err := readJournal(t.Context(), bytes.NewReader(data), memory, sorted); err != nil {
			return
		}
		for _, s := range sorted.tables {
			var out bytes.Buffer
			if s.writeParquet(&out, "host", compressor) != nil {
				continue
			}
			file, err := flatparquet.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
			if err != nil || file.Rows != s.rows {
				t.Errorf("%d rows became %v, %v", s.rows, file.Rows, err)
			}
		}
	})
}

// FuzzSample goes past the checksums and the compression.
func FuzzSample(f *testing.F) {
	var d deltaTable
	texts := newTextList()
	list := &table[SoftIRQSample]{list: []SoftIRQSample{{Kind: "NET_RX", Count: 1}, {Kind: "TIMER"}}}
	k := kindByName(SoftIRQs)
	item, err := cbor.Marshal(sample{Texts: [][]byte{[]byte("NET_RX"), []byte("TIMER")},
		Tables: map[string]tableBlock{string(SoftIRQs): d.encode(k, k.load(list, 0, 2, texts, nil))}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(item)
	f.Add([]byte{0xa1, 0x61, 't', 0xa0})
	f.Fuzz(func(t *testing.T, item []byte) {
		memory := budget.New(fuzzMemory)
		to := &collector{in: readOptions{memory: memory}, rec: New(Manifest{})}
		dec := newJournalDecoder(to, &effort{}, memory, memory.Part())
		for range 2 { // a second time, differences have something to refer to
			var s sample
			if cborDecoder.Unmarshal(item, &s) != nil {
				return
			}
			if _, err := dec.sample(s); err != nil {
				return
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	good, err := json.Marshal(Manifest{Format: 1, Tool: "rtrail", Probes: []ProbeInfo{{Name: "host", Fills: []Table{CPUs}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"format":2,"started":"yesterday"}`))
	f.Add([]byte(`{"format":9,"novelty":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Skip() // years beyond 9999 have no JSON form
		}
		if _, err := parseManifest(again); err != nil {
			t.Errorf("written again it is refused: %v", err)
		}
	})
}
