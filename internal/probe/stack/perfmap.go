package stack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/probe/localfile"
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

// openPerfMap opens the file. Anybody can put one of that name into /tmp: it is the
// process's own, or root's, or not read.
func (s files) openPerfMap() (*os.File, fs.FileInfo, error) {
	proc, err := os.Stat(s.proc)
	if err != nil {
		return nil, nil, err
	}
	owner, ok := proc.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, nil, fmt.Errorf("%s has no owner", s.proc)
	}
	f, err := localfile.Open(s.pid, fmt.Sprintf("/tmp/perf-%d.map", s.innerPID()))
	if err != nil {
		return nil, nil, err
	}
	err = safefile.CheckOwned(f, owner.Uid, 0)
	info, errStat := f.Stat()
	if err = errors.Join(err, errStat); err == nil && info.Size() > maxPerfMap {
		err = fmt.Errorf("%s has more than %d MB", f.Name(), maxPerfMap>>20)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// refresh reads the file again if it has changed.
func (m *perfMap) refresh(s *space) {
	if _, err := os.Stat(s.proc); err != nil {
		return // it has ended: what is known stays
	}
	f, info, err := s.openPerfMap()
	if err != nil {
		m.forget()
		return
	}
	defer f.Close()
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

// readPerfMap reads the symbols, as many as fit.
func readPerfMap(f *os.File, size int64, memory *budget.Budget) []symbol {
	var list []symbol
	eachInPerfMap(f, size, func(start, size uint64, name string) bool {
		if len(list) == maxSymbols || !memory.Take(2*symbolBytes+int64(len(name)+32)) {
			return false
		}
		list = append(list, symbol{start, start + size, name})
		return true
	})
	m := image{symbols: list}
	m.sortSymbols()
	return m.symbols
}

// eachInPerfMap reads lines of "start size name", hexadecimal, until one is
// enough.
func eachInPerfMap(f *os.File, size int64, take func(start, size uint64, name string) bool) {
	lines := bufio.NewScanner(io.LimitReader(f, size))
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) < 3 {
			continue
		}
		start, err1 := strconv.ParseUint(strings.TrimPrefix(fields[0], "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 64)
		if err1 == nil && err2 == nil && !take(start, size, fields[2]) {
			return
		}
	}
}
