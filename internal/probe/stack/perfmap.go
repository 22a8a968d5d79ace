package stack

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/safefile"
)

// maxPerfMap bounds the file in which a just-in-time compiler names what it
// compiled. Large Java programs write some megabytes.
const maxPerfMap = 128 << 20

// perfMap is what a process has written down of the code that it compiled.
type perfMap struct {
	symbols []symbol
	memory  *budget.Budget // what the symbols take
	size    int64
	changed time.Time
}

// refresh reads the file again if it has changed. Anybody can put a file of that
// name into /tmp: it is the process's own, or root's, or not read.
func (m *perfMap) refresh(s *space) {
	proc, err := os.Stat(s.proc)
	if err != nil {
		return
	}
	owner, ok := proc.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	f, err := safefile.OpenOwned(s.root(), fmt.Sprintf("/tmp/perf-%d.map", s.innerPID()), owner.Uid, 0)
	if err != nil {
		m.forget()
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > maxPerfMap {
		m.forget()
		return
	}
	if info.Size() != m.size || !info.ModTime().Equal(m.changed) {
		m.forget()
		memory := s.memory.Part()
		*m = perfMap{readPerfMap(f, info.Size(), memory), memory, info.Size(), info.ModTime()}
	}
}

func (m *perfMap) forget() {
	if m.memory != nil {
		m.memory.Release()
	}
	*m = perfMap{}
}

// readPerfMap reads lines of "start size name", hexadecimal, as many as fit.
func readPerfMap(f *os.File, size int64, memory *budget.Budget) []symbol {
	var list []symbol
	lines := bufio.NewScanner(io.LimitReader(f, size))
	for lines.Scan() && len(list) < maxSymbols {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) < 3 {
			continue
		}
		start, err1 := strconv.ParseUint(strings.TrimPrefix(fields[0], "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 64)
		if err1 == nil && err2 == nil {
			if !memory.Take(2*symbolBytes + int64(len(fields[0])+len(fields[1])+len(fields[2])+2)) {
				break
			}
			list = append(list, symbol{start, start + size, fields[2]})
		}
	}
	m := image{symbols: list}
	m.sortSymbols()
	return m.symbols
}
