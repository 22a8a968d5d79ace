package thread

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// memory reads memory of other processes. What they map may be a file whose server
// never answers: then the reader hangs, without hope, and nothing is read any more.
type memory struct {
	asks     chan memoryAsk
	hung     int32 // PID of the process where it hangs
	told     bool
	patience time.Duration // 0: memoryPatience
}

type memoryAsk struct {
	pid  int32
	from uint64
	into []byte
	n    chan int
}

// memoryPatience is how long one read may take. Of memory that is there it takes a
// microsecond, of a page that must come from a disk some milliseconds.
const memoryPatience = 500 * time.Millisecond

// read reads some bytes; nil: they cannot be read.
func (m *memory) read(pid int32, from uint64, size int) []byte {
	if m.hung != 0 {
		return nil
	}
	if m.asks == nil {
		m.asks = make(chan memoryAsk, 1)
		go serveMemory(m.asks)
	}
	ask := memoryAsk{pid, from, make([]byte, size), make(chan int, 1)}
	m.asks <- ask
	patience := m.patience
	if patience == 0 {
		patience = memoryPatience
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case n := <-ask.n:
		return ask.into[:max(n, 0)]
	case <-late.C:
		m.hung = pid
		return nil
	}
}

func serveMemory(asks <-chan memoryAsk) {
	for ask := range asks {
		local := []unix.Iovec{{Base: &ask.into[0]}}
		local[0].SetLen(len(ask.into))
		n, err := unix.ProcessVMReadv(int(ask.pid), local, []unix.RemoteIovec{{Base: uintptr(ask.from), Len: len(ask.into)}}, 0)
		if err != nil {
			n = 0
		}
		ask.n <- n
	}
}

// report says once that locks are not seen any more.
func (m *memory) report(w *recording.Writer, probe string) {
	if m.hung == 0 || m.told {
		return
	}
	m.told = true
	w.Unseen(probe, "who holds locks of programs", 1, fmt.Sprintf("reading the memory of process %d does not come back", m.hung), "see what that process maps: a file on a server that does not answer")
}

// close ends the reader, unless it hangs.
func (m *memory) close() {
	if m.asks != nil {
		close(m.asks)
		m.asks = nil
	}
}
