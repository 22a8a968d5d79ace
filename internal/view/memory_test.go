package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A recording of a machine with pages of 64 KiB counts them as such wherever it is read.
func TestPagesOfAnotherArchitecture(t *testing.T) {
	rec := recording.New(recording.Manifest{Host: recording.Host{Arch: "aarch64", PageSize: 64 << 10}})
	w := recording.NewWriter(began)
	recording.Append(w, recording.VMStatSample{At: began}, recording.VMStatSample{At: began.Add(10 * time.Second), SwapIn: 100})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	p, ok := New(rec, began, began.Add(10*time.Second)).Paging()
	if !ok {
		t.Fatal("no paging")
	}
	near(t, "bytes swapped in per second", p.SwapIn, 10*64<<10)
}
