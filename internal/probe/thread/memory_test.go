package thread

import (
	"os"
	"testing"
	"time"
	"unsafe"

	"rtrail/internal/recording"
)

func TestMemory(t *testing.T) {
	var m memory
	defer m.close()
	text := []byte("who holds it")
	if got := m.read(int32(os.Getpid()), uint64(uintptr(unsafe.Pointer(&text[0]))), 3); string(got) != "who" {
		t.Errorf("read %q", got)
	}
	if got := m.read(int32(os.Getpid()), 8, 20); len(got) > 0 {
		t.Errorf("read %q where nothing is", got)
	}
}

// A read that does not come back is waited for once, and said once.
func TestMemoryThatHangs(t *testing.T) {
	m := memory{asks: make(chan memoryAsk, 1), patience: time.Millisecond} // nobody serves it
	for range 3 {
		if got := m.read(7, 8, 20); got != nil {
			t.Errorf("read %q", got)
		}
	}
	w := recording.NewWriter(time.Now())
	m.report(w, "threads")
	m.report(w, "threads")
	if w.Rows() != 1 {
		t.Errorf("it was said %d times", w.Rows())
	}
}
