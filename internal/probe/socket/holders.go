package socket

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/probe/census"
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
// budget allows. When nothing but the end of the window asks for it, only
// processes that ran are looked at. Rows are written of what was not there in
// the pass before. It returns false when that could not be done.
func (p *Probe) findHolders(w *recording.Writer, edge bool) bool {
	if p.files == nil {
		return false
	}
	p.owners, p.looked = p.owners[:0], false
	if len(p.held) > maxHeld {
		clear(p.held)
	}
	p.unpassed++
	wait := min(int64(p.passCost/ownersBudget), maxSkipped)
	if !edge && (p.unpassed <= wait || !p.ownerless()) {
		return true
	}
	if p.passed > 0 && !p.ownerless() && p.lookAtAwake(w) {
		return true
	}
	p.unpassed = 0
	began, at := p.cpuTime(), time.Now()
	p.lastPass, p.passed = at, p.passed+1
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
	p.passCost = p.cpuTime() - began
	p.forgive()
	recording.Append(w, p.owners...)
	return true
}

// readDescriptor is what reading one link of /proc/PID/fd takes: 1.3 us and
// some for finding the process.
const readDescriptor = 2 * time.Microsecond

// lookAtAwake does the work of a pass where every socket has a known holder:
// only who ran since the last pass can have got hold of another descriptor, as
// a child does of those of its parent. It returns false where that cannot be
// told or a pass costs less.
func (p *Probe) lookAtAwake(w *recording.Writer) bool {
	descriptors := int64(0)
	awake := p.awake[:0]
	for i := range p.all {
		e := &p.all[i]
		if !e.Counted {
			return false
		}
		if e.Kernel || e.State == 'Z' || e.State == 'X' || e.Active.Before(p.lastPass) && e.Seen.Before(p.lastPass) {
			continue
		}
		n, err := p.dir.Count(census.Name(e.PID, "fd"))
		if err != nil {
			continue // it ended
		}
		if descriptors += n; time.Duration(descriptors)*readDescriptor > p.passCost {
			return false
		}
		awake = append(awake, awakeHolder{e, n})
	}
	p.awake = awake
	var missed unseen // the iterator needs the privileges that this needs too
	for _, a := range awake {
		p.scan(a.entry, p.known[a.entry.Key()], a.files, &missed)
	}
	if missed.files > 0 {
		p.owners = p.owners[:0]
		return false
	}
	p.owners = slices.DeleteFunc(p.owners, func(o recording.SocketOwner) bool {
		f := kernel.SocketFile{PID: o.PID, FD: o.FD, Inode: o.Inode}
		at, ok := slices.BinarySearchFunc(p.holders, f, compareFiles)
		return ok && p.holders[at] == f
	})
	recording.Append(w, p.owners...)
	return true
}

// awakeHolder is a process that ran since the last pass.
type awakeHolder struct {
	entry *census.Entry
	files int64
}

// compareFiles orders descriptors as a pass gives them.
func compareFiles(a, b kernel.SocketFile) int {
	return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.FD, b.FD))
}

// forgive keeps sockets that nobody holds after a pass, such as those of the
// kernel itself, from asking for another one.
func (p *Probe) forgive() {
	p.eachInode(func(inode uint64) bool {
		p.held[inode] = struct{}{}
		return true
	})
	for i := range p.udp {
		p.held[p.udp[i].Inode] = struct{}{}
	}
	for i := range p.listens {
		p.held[p.listens[i].Inode] = struct{}{}
	}
}
