package baseline

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
)

func example() *Baseline {
	b := &Baseline{Measured: time.Date(2026, 11, 1, 2, 3, 4, 0, time.UTC), Host: "db1", Kernel: "6.1", Busy: 0.3}
	b.Add(Disk, "vda", RandomReads, 10_000)
	b.Add(Disk, "vda", SyncMedian, 0.002)
	b.Add(CPU, "", HashOne, 1<<30)
	b.Add(CPU, "", HashAll, math.NaN())
	b.Add(CPU, "", HashAll, 0)
	return b
}

func TestKept(t *testing.T) {
	var file bytes.Buffer
	if err := example().Write(&file); err != nil {
		t.Fatal(err)
	}
	b, err := Parse(file.Bytes())
	if err != nil || len(b.Values) != 3 || b.Values[0] != (Value{Disk, "vda", RandomReads, 10_000}) || !b.Measured.Equal(example().Measured) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, text := range []string{"", "[]", `{"values":[{"value":-1}]}`, `{"values":[{"value":1e300}]}`, `{"values":[{"value":null}]}`,
		`{"host":"` + strings.Repeat("x", 1000) + `"}`, `{"values":[` + strings.Repeat(`{"value":1},`, 2000) + `{"value":1}]}`} {
		if b, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.40s: %+v", text, b)
		}
	}
}

func TestDocument(t *testing.T) {
	old, b := example(), example()
	b.Values[0].Value = 5_000
	var text bytes.Buffer
	if err := document.Terminal(&text, b.Document(old), document.TerminalOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5,000/s", "10,000/s", "-50 %", "2 ms", "1 GiB/s", "30 % of the CPUs were busy"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func FuzzParse(f *testing.F) {
	var file bytes.Buffer
	if err := example().Write(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Parse(text)
		if err != nil {
			return
		}
		if err := document.Terminal(&bytes.Buffer{}, b.Document(b), document.TerminalOptions{Width: 80}); err != nil {
			t.Error(err)
		}
	})
}
