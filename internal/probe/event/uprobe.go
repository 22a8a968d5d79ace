package event

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cilium/ebpf/link"

	"rtrail/internal/probe/kernel"
)

// Uprobe is where a program is attached in the code of one process.
type Uprobe struct {
	Symbol  string // function of the file
	Program string // name of its function
	Return  bool   // when the function returns
	Maybe   bool   // files may lack it
}

// Uprobes are the places of an object in one file of code.
type Uprobes struct {
	PID  int32
	File *os.File // that the process maps; closed with the Set
	List []Uprobe
}

// attach attaches all of them.
func (u *Uprobes) attach(s *Set) error {
	if u.File == nil {
		return nil
	}
	// By its descriptor it is this very file, wherever it is or was.
	file, err := link.OpenExecutable(fmt.Sprintf("/proc/self/fd/%d", u.File.Fd()))
	if err != nil {
		return fmt.Errorf("attach to %s: %w", u.File.Name(), err)
	}
	for _, at := range u.List {
		to := file.Uprobe
		if at.Return {
			to = file.Uretprobe
		}
		var l io.Closer
		l, err := to(at.Symbol, s.Program(at.Program), &link.UprobeOptions{PID: int(u.PID)})
		switch {
		case at.Maybe && errors.Is(err, link.ErrNoSymbol):
			continue
		case err != nil:
			return kernel.Missing("attach a BPF program to "+at.Symbol+" of "+u.File.Name(), err)
		}
		s.links = append(s.links, l)
	}
	return nil
}

func (u *Uprobes) close() error {
	if u.File == nil {
		return nil
	}
	return u.File.Close()
}
