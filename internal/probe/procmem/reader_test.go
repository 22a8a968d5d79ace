package procmem

import (
	"encoding/binary"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

func TestReader(t *testing.T) {
	var r Reader
	defer r.Close()
	text := []byte("who holds it")
	if got := r.Read(int32(os.Getpid()), uint64(uintptr(unsafe.Pointer(&text[0]))), 3); string(got) != "who" {
		t.Errorf("read %q", got)
	}
	if got := r.Read(int32(os.Getpid()), 8, 20); len(got) > 0 {
		t.Errorf("read %q where nothing is", got)
	}
}

// A page that is not in memory is left alone: what it would come from may never answer.
func TestReadsWhatIsInMemory(t *testing.T) {
	page := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := unix.Madvise(m, unix.MADV_NOHUGEPAGE); err != nil {
		t.Fatal(err)
	}
	m[page] = 1 // only the page in the middle is used
	at := uint64(uintptr(unsafe.Pointer(&m[0])))
	for name, tc := range map[string]struct{ from, size, want int }{
		"in the page":            {page, 64, 64},
		"from the page before":   {page - 32, 64, 0},
		"up to the page behind":  {2*page - 32, 64, 32},
		"a page that is not":     {2 * page, 64, 0},
		"nothing":                {page, 0, 0},
		"all of it, from before": {0, 3 * page, 0},
	} {
		if got := Read(int32(os.Getpid()), at+uint64(tc.from), make([]byte, tc.size)); got != tc.want {
			t.Errorf("%s: %d bytes, want %d", name, got, tc.want)
		}
	}
}

func TestInMemory(t *testing.T) {
	const swapped, file = 1 << 62, 1 << 61
	for name, tc := range map[string]struct {
		pages        []uint64
		offset, want int
	}{
		"all":                    {[]uint64{present, present | file}, 4000, 300},
		"the second is not":      {[]uint64{present, file}, 4000, 96},
		"the first is not":       {[]uint64{file, present}, 4000, 0},
		"swapped out":            {[]uint64{swapped}, 0, 0},
		"beyond the page tables": {nil, 0, 0},
	} {
		var entries []byte
		for _, p := range tc.pages {
			entries = binary.NativeEndian.AppendUint64(entries, p)
		}
		if got := inMemory(entries, uint64(tc.offset), 4096, 300); got != tc.want {
			t.Errorf("%s: %d bytes, want %d", name, got, tc.want)
		}
	}
}

// A read that does not come back is waited for once, and said once.
func TestReaderThatHangs(t *testing.T) {
	r := Reader{asks: make(chan ask, 1), patience: time.Millisecond} // nobody serves it
	for range 3 {
		if got := r.Read(7, 8, 20); got != nil {
			t.Errorf("read %q", got)
		}
	}
	w := recording.NewWriter(time.Now())
	r.Report(w, "threads", "locks")
	r.Report(w, "threads", "locks")
	if w.Rows() != 1 {
		t.Errorf("it was said %d times", w.Rows())
	}
}
