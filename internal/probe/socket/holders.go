package socket

import (
	"cmp"
	"os"
	"strconv"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// openHolders loads the program that reads the descriptors of all processes in
// one pass. Where it cannot be had, /proc/PID/fd is read. It may be used only if
// PIDs mean the same to the kernel and in /proc.
func (p *Probe) openHolders() {
	self, err := p.dir.Link("self")
	if err != nil || string(self) != strconv.Itoa(os.Getpid()) {
		return
	}
	if f, err := kernel.OpenSocketFiles(p.census.Loader()); err == nil {
		p.files = f
	}
}

func (p *Probe) closeHolders() {
	if p.files != nil {
		p.files.Close()
		p.files = nil
	}
}

// findHolders looks who holds which socket: at the edges of a window, and in
// between when a socket is seen that nobody is known to hold, as often as the
// budget allows. Rows are written of what was not there in the pass before. It
// returns false when that could not be done.
func (p *Probe) findHolders(w *recording.Writer, edge bool) bool {
	if p.files == nil {
		return false
	}
	p.owners, p.looked = p.owners[:0], false
	if len(p.held) > mostHeld {
		clear(p.held)
	}
	p.unpassed++
	wait := min(int64(p.passCost/ownersBudget), mostSkipped)
	if !edge && (p.unpassed <= wait || !p.ownerless()) {
		return true
	}
	p.unpassed = 0
	began, at := probe.ThreadCPU(), time.Now()
	last, next := p.holders, p.spareHolders[:0]
	err := p.files.Each(func(f kernel.SocketFile) {
		next = append(next, f)
		for len(last) > 0 && compareFiles(last[0], f) < 0 {
			last = last[1:]
		}
		if len(last) > 0 && last[0] == f {
			return
		}
		p.held[f.Inode] = struct{}{}
		p.owners = append(p.owners, recording.SocketOwner{At: at, Inode: f.Inode, PID: f.PID, FD: f.FD})
	})
	if err != nil {
		p.closeHolders()
		return false
	}
	p.holders, p.spareHolders = next, p.holders
	p.passCost = probe.ThreadCPU() - began
	p.forgive()
	recording.Append(w, p.owners...)
	return true
}

// compareFiles orders descriptors as a pass gives them.
func compareFiles(a, b kernel.SocketFile) int {
	return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.FD, b.FD))
}

// forgive keeps sockets that nobody holds after a pass, such as those of the
// kernel itself, from asking for another one.
func (p *Probe) forgive() {
	for i := range p.tcp {
		p.held[p.tcp[i].Inode] = struct{}{}
	}
	for i := range p.udp {
		p.held[p.udp[i].Inode] = struct{}{}
	}
	for i := range p.listens {
		p.held[p.listens[i].Inode] = struct{}{}
	}
}
