package ability

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestProbe(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("reads what belongs to root: needs root")
	}
	p := &Probe{path: filepath.Join(t.TempDir(), "baseline.json")}
	rows := func() []recording.BaselineValue {
		t.Helper()
		w := recording.NewWriter(time.Now())
		if err := p.Sample(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		rec := recording.New(recording.Manifest{})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return recording.Rows[recording.BaselineValue](rec)
	}
	if err := p.Start(); err != nil || len(rows()) != 0 {
		t.Errorf("without a baseline: %v", err)
	}
	const text = `{"measured":"2026-11-01T02:03:04Z","values":[{"kind":"disk","thing":"vda","what":"random_reads_per_second","value":10000}]}`
	if err := os.WriteFile(p.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := rows()
	if len(got) != 1 || got[0].Thing != "vda" || got[0].Value != 10000 || got[0].Measured.Year() != 2026 {
		t.Errorf("%+v", got)
	}
	if again := rows(); len(again) != 0 {
		t.Errorf("the same once more: %+v", again)
	}
	if err := os.WriteFile(p.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(p.path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := p.Sample(t.Context(), recording.NewWriter(time.Now())); err == nil {
		t.Error("half a file is read")
	}
}
