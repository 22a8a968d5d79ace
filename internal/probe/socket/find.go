package socket

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// holder is what is kept of one process: its namespace, and of which files its
// sockets were last looked up.
type holder struct {
	key     census.Key
	round   int64
	comm    string
	netns   uint64 // 0: not readable
	files   int64  // descriptors when it was scanned
	scanned time.Time
	sockets bool // it held one
}

// findNamespaces brings the list of namespaces up to date and adds a row for
// each.
func (p *Probe) findNamespaces(w *recording.Writer, missed *unseen) {
	at := time.Now()
	found := map[uint64]*recording.NetNSSample{p.own: {NetNS: p.own, Own: true}}
	paths := map[uint64]string{p.own: ""}
	var n *recording.NetNSSample // most processes are in the same one
	for i := range p.all {
		e := &p.all[i]
		inode := p.namespaceOf(e, p.holderOf(i), missed)
		if inode == 0 {
			continue
		}
		if n == nil || n.NetNS != inode {
			n = found[inode]
		}
		if n == nil {
			n = &recording.NetNSSample{NetNS: inode}
			found[inode] = n
			paths[inode] = fmt.Sprintf("%s/%d/ns/net", p.dir.Path(), e.PID)
		}
		n.Processes++
		if n.PID == 0 {
			n.PID, n.Comm = e.PID, e.Comm // the list ascends
		}
	}
	for _, named := range named("") {
		n := found[named.inode]
		if n == nil {
			n = &recording.NetNSSample{NetNS: named.inode}
			found[named.inode] = n
			paths[named.inode] = named.path
		}
		if n.Name == "" {
			n.Name = named.name
		}
	}
	p.order = p.order[:0]
	for _, row := range readFirst(found) {
		row.At = at
		inode := row.NetNS
		n := p.spaces[inode]
		if n == nil {
			if len(p.spaces) >= namespaces {
				missed.tooMany++
				recording.Append(w, *row)
				continue
			}
			n = &namespace{fd: -1, conntrackMax: recording.Unknown, conntrackBuckets: recording.Unknown}
			p.spaces[inode] = n
		}
		n.NetNSSample, n.round = *row, p.samples
		p.enterOnce(n, paths[inode])
		if n.failure != nil {
			missed.spaces++
			missed.why = n.failure
		}
		recording.Append(w, n.NetNSSample)
		p.order = append(p.order, n)
	}
	for inode, n := range p.spaces {
		if n.round != p.samples {
			n.close()
			delete(p.spaces, inode)
		}
	}
}

// readFirst puts namespaces in the order in which there is room for them: the own one, which
// most questions are about, then those with most processes. It is the same in each sample:
// a namespace that is read now and then tells nothing.
func readFirst(found map[uint64]*recording.NetNSSample) []*recording.NetNSSample {
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b *recording.NetNSSample) int {
		switch {
		case a.Own && !b.Own:
			return -1
		case b.Own && !a.Own:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Processes, a.Processes), cmp.Compare(a.NetNS, b.NetNS))
	})
	return list
}

// enterOnce opens a namespace that is not open yet. One that could not be
// entered is not tried in every sample.
func (p *Probe) enterOnce(n *namespace, path string) {
	const retry = 10 // samples
	if n.diag != nil || (n.failure != nil && p.samples%retry != 0) {
		return
	}
	n.failure = nil
	if !n.Own {
		if n.fd, n.failure = openNamespace(path, n.NetNS); n.failure != nil {
			return
		}
	}
	if n.failure = n.open(p.buf, p.walker); n.failure != nil {
		n.close()
		n.diag = nil
	}
}

// holderOf is what is kept of the i-th process. Mostly it was the i-th in the
// sample before too.
func (p *Probe) holderOf(i int) *holder {
	k := p.all[i].Key()
	if i < len(p.inOrder) && p.inOrder[i].key == k {
		return p.inOrder[i]
	}
	h := p.known[k]
	if h == nil {
		h = &holder{key: k, files: -1}
		p.known[k] = h
	}
	p.inOrder = append(p.inOrder[:min(i, len(p.inOrder))], h)
	return h
}

// namespaceOf is the namespace of a process. It is read once and again when
// the process is young or calls exec, as `ip netns exec` does.
func (p *Probe) namespaceOf(e *census.Entry, h *holder, missed *unseen) uint64 {
	if h.comm == e.Comm && e.At.Sub(e.Started) > census.Settled && h.netns != 0 {
		h.round = p.samples
		return h.netns
	}
	h.round, h.comm = p.samples, e.Comm
	if e.Kernel || e.State == 'Z' || e.State == 'X' {
		h.netns = 0
		return 0
	}
	if h.netns = p.census.NetNS(e); h.netns != 0 {
		return h.netns
	}
	b, err := p.dir.Link(census.Name(e.PID, "ns/net"))
	if err != nil {
		if census.Denied(err) {
			missed.processes++
		}
		return 0
	}
	h.netns, _ = census.NamespaceInode(b)
	p.census.TellNetNS(e, h.netns)
	return h.netns
}
