package procmem

import (
	"fmt"
	"time"

	"rtrail/internal/recording"
)

// Reader reads memory of processes and does not wait for long: a page may be taken out of
// memory after it was seen there, and come back from a disk or a server that never answers.
// A read that does not come back is the last one. It is not for concurrent use.
type Reader struct {
	asks     chan ask
	hung     int32 // PID of the process where it hangs
	told     bool
	patience time.Duration // 0: patience
}

type ask struct {
	pid  int32
	from uint64
	into []byte
	n    chan int
}

// patience is how long one read may take. Of memory that is there it takes some
// microseconds.
const patience = 500 * time.Millisecond

// Read reads some bytes, or those at the beginning that are in memory; nil: none are.
func (r *Reader) Read(pid int32, from uint64, size int) []byte {
	if r.hung != 0 || size <= 0 {
		return nil
	}
	if r.asks == nil {
		r.asks = make(chan ask, 1)
		go serve(r.asks)
	}
	a := ask{pid, from, make([]byte, size), make(chan int, 1)}
	r.asks <- a
	wait := r.patience
	if wait == 0 {
		wait = patience
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case n := <-a.n:
		return a.into[:n]
	case <-late.C:
		r.hung = pid
		return nil
	}
}

func serve(asks <-chan ask) {
	for a := range asks {
		a.n <- Read(a.pid, a.from, a.into)
	}
}

// Report says once that something is not seen any more.
func (r *Reader) Report(w *recording.Writer, probe, what string) {
	if r.hung == 0 || r.told {
		return
	}
	r.told = true
	w.Unseen(probe, what, 1, fmt.Sprintf("reading the memory of process %d does not come back", r.hung), "see what that process maps: a file on a server that does not answer")
}

// Close ends the reader, unless it hangs.
func (r *Reader) Close() {
	if r.asks != nil {
		close(r.asks)
		r.asks = nil
	}
}
