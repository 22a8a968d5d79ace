package socket

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

const (
	// ownersBudget is the CPU time one sample may spend on looking up who holds
	// which socket; ownersEdge that of the first and the last one.
	ownersBudget = 1500 * time.Microsecond
	ownersEdge   = 20 * time.Millisecond
)

// findOwners looks up the sockets of processes that are new or opened and
// closed files since they were scanned. Everybody is looked at in the first
// and the last sample; in between only who was active.
func (p *Probe) findOwners(ctx context.Context, w *recording.Writer, edge bool, missed *unseen) {
	p.owners = p.owners[:0]
	limit, began := ownersBudget, threadCPU()
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
		if h.files >= 0 && !active {
			continue
		}
		if i%8 == 7 && (threadCPU()-began > limit || ctx.Err() != nil) {
			// In between it is a delay only; what is missing in the end is lost.
			if edge {
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
		// files by chance; in the end it is scanned whatever the number.
		if files == h.files && (!p.closing || !h.sockets) {
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
	err := p.dir.Numbers(census.Name(e.PID, "fd"), func(fd int32) {
		b, err := p.dir.Link(string(strconv.AppendInt(name, int64(fd), 10)))
		if err != nil {
			return
		}
		rest, ok := bytes.CutPrefix(b, []byte("socket:["))
		if !ok {
			return
		}
		inode, ok := procfile.Uint(bytes.TrimSuffix(rest, []byte("]")))
		if !ok {
			return
		}
		h.sockets = true
		p.owners = append(p.owners, recording.SocketOwner{At: at, Inode: inode, PID: e.PID, FD: fd})
	})
	if census.Denied(err) {
		missed.files++
	}
}
