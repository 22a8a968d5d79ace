package socket

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

const (
	// ownersBudget is the CPU time one sample may spend on looking up who holds
	// which socket; ownersEdge that of the first and the last one.
	ownersBudget = 1500 * time.Microsecond
	ownersEdge   = 6 * time.Millisecond

	// maxHeld bounds the inodes that are remembered: a long run sees sockets
	// come and go. Forgetting them only costs another scan.
	maxHeld = 1 << 17
)

// findOwners looks up the sockets of processes that are new or opened and
// closed files since they were scanned. In between only who was active is
// looked at, in the last sample everybody who can have run unseen.
func (p *Probe) findOwners(ctx context.Context, w *recording.Writer, edge bool, missed *unseen) {
	p.owners, p.looked = p.owners[:0], false
	if len(p.held) > maxHeld {
		clear(p.held)
	}
	limit, began := ownersBudget, p.cpuTime()
	if edge {
		limit = ownersEdge
	}
	for i := range p.all {
		e := &p.all[i]
		h := p.known[e.Key()]
		if h == nil || e.Kernel || e.State == 'Z' || e.State == 'X' {
			continue
		}
		active := !e.Active.IsZero() && e.Active.After(h.scanned)
		// Of several threads one may have run for less than a tick, which does
		// not show.
		unseen := p.closing && (e.Threads > 1 || e.Sched.Slices < 0)
		if h.files >= 0 && !active && !unseen {
			continue
		}
		if i%8 == 7 && (p.cpuTime()-began > limit || ctx.Err() != nil) {
			// Until the end it is a delay only; what is missing then is lost.
			if p.closing {
				w.Lost(1)
			}
			break
		}
		files, err := p.dir.Count(census.Name(e.PID, "fd"))
		if err != nil {
			if census.Denied(err) {
				missed.files++
			}
			continue
		}
		// A server that serves many short connections has the same number of
		// files by chance: in the end it is scanned if there is a socket that
		// nobody is known to hold.
		if files == h.files && (!p.closing || !h.sockets || !p.ownerless()) {
			continue
		}
		p.scan(e, h, files, missed)
	}
	recording.Append(w, p.owners...)
}

// scan reads where the descriptors of a process lead.
func (p *Probe) scan(e *census.Entry, h *holder, files int64, missed *unseen) {
	at := time.Now()
	h.scanned, h.files, h.sockets = at, files, false
	name := append(strconv.AppendInt(make([]byte, 0, 32), int64(e.PID), 10), "/fd/"...)
	before := len(p.owners)
	look := func(fd int32) error {
		b, err := p.dir.Link(string(strconv.AppendInt(name, int64(fd), 10)))
		if err != nil {
			return err
		}
		rest, ok := bytes.CutPrefix(b, []byte("socket:["))
		if !ok {
			return nil
		}
		inode, ok := procfile.Uint(bytes.TrimSuffix(rest, []byte("]")))
		if !ok {
			return nil
		}
		p.held[inode] = struct{}{}
		p.owners = append(p.owners, recording.SocketOwner{At: at, Inode: inode, PID: e.PID, FD: fd})
		return nil
	}
	// Descriptors are given out from the lowest number on. Trying them one by
	// one, with some room for gaps, mostly finds all there are, and the kernel
	// need not list the directory, which costs more.
	err := error(nil)
	found, next := int64(0), int32(0)
	for most := int32(files + files/8 + 8); found < files && next < most; next++ {
		if err = look(next); err == nil {
			found++
		} else if !errors.Is(err, unix.ENOENT) {
			break
		}
	}
	if found < files && (err == nil || errors.Is(err, unix.ENOENT)) {
		err = p.dir.Numbers(census.Name(e.PID, "fd"), func(fd int32) {
			if fd >= next {
				_ = look(fd)
			}
		})
	}
	h.sockets = len(p.owners) > before
	if census.Denied(err) {
		missed.files++
	}
}

// ownerless says whether the last dump showed a socket of which no holder is
// known, in whatever namespace: a process may hold sockets of others than its
// own. Sockets without an inode have no holder.
func (p *Probe) ownerless() bool {
	if p.looked {
		return p.orphans
	}
	p.looked = true
	unheld := func(inode uint64) bool {
		_, ok := p.held[inode]
		return !ok && inode != 0
	}
	p.orphans = slices.ContainsFunc(p.listens, func(s recording.ListenerSample) bool { return unheld(s.Inode) }) ||
		slices.ContainsFunc(p.udp, func(s recording.UDPSample) bool { return unheld(s.Inode) })
	p.eachInode(func(inode uint64) bool {
		p.orphans = p.orphans || unheld(inode)
		return !p.orphans
	})
	return p.orphans
}
