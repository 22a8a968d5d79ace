package innodb

import "strings"

// labelled is where the number after a label goes.
type labelled struct {
	label string
	to    *int64
}

// io reads a line of FILE I/O.
func (p *parser) io(line string) {
	i := &p.s.IO
	switch {
	case strings.HasPrefix(line, "Pending normal aio reads:"):
		reads, writes, _ := strings.Cut(line, "aio writes:")
		pending(strings.TrimPrefix(reads, "Pending normal aio reads:"), &i.PendingReads)
		pending(writes, &i.PendingWrites)
	case strings.HasPrefix(line, "Pending flushes (fsync) log:"):
		after(line, "log:", &i.LogFsyncs)
		after(line, "buffer pool:", &i.PoolFsyncs)
	case strings.HasPrefix(line, "Pending flushes (fsync):"): // MariaDB
		after(line, "(fsync):", &i.Fsyncs)
	case strings.HasSuffix(line, " OS fsyncs"):
		before(line, " OS file reads", &i.Reads)
		before(line, " OS file writes", &i.Writes)
		before(line, " OS fsyncs", &i.Synced)
	}
}

// pending reads "0 [0, 0, 0, 0] ," or "[0, 2, 0, 0]": a sum, or what makes it.
func pending(s string, to *int64) {
	if n, ok := number(s); ok {
		*to = n
		return
	}
	list, _, ok := between(s, "[", "]")
	if !ok {
		return
	}
	var total int64
	for _, one := range strings.Split(list, ",") {
		n, ok := number(one)
		if !ok {
			return
		}
		total += n
	}
	*to = total
}

// insertBuffer reads a line of the change buffer.
func (p *parser) insertBuffer(line string) {
	b := &p.s.InsertBuffer
	if strings.HasPrefix(line, "Ibuf: size ") {
		after(line, "Ibuf: size ", &b.Size)
		after(line, "free list len ", &b.Free)
		after(line, "seg size ", &b.Segment)
		before(line, " merges", &b.Merges)
	}
}

// log reads a line of LOG.
func (p *parser) log(line string) {
	l := &p.s.Log
	for _, n := range [...]labelled{
		{"Log sequence number ", &l.Sequence}, {"Log flushed up to ", &l.Flushed}, {"Pages flushed up to ", &l.PagesFlushed},
		{"Last checkpoint at ", &l.Checkpoint}, {"Log capacity  ", &l.Capacity},
	} {
		if rest, ok := strings.CutPrefix(line, n.label); ok {
			position(rest, n.to)
		}
	}
	if strings.HasSuffix(line, " pending chkp writes") {
		before(line, " pending log writes", &l.Writes)
		before(line, " pending log flushes", &l.Writes)
		before(line, " pending chkp writes", &l.Checkpoints)
	}
}

// pool reads a line of BUFFER POOL AND MEMORY.
func (p *parser) pool(line string) {
	b := &p.s.Pool
	if strings.HasPrefix(line, "Buffer pool size, bytes") { // Percona
		return
	}
	for _, n := range [...]labelled{
		{"Buffer pool size ", &b.Size}, {"Free buffers ", &b.Free}, {"Database pages ", &b.Data}, {"Modified db pages ", &b.Dirty},
		{"Pending reads ", &b.PendingReads}, {"Buffer pool hit rate ", &b.HitPerMille},
	} {
		if strings.HasPrefix(line, n.label) {
			after(line, n.label, n.to)
		}
	}
	switch {
	case strings.HasPrefix(line, "Pending writes: LRU "):
		after(line, "LRU ", &b.PendingLRU)
		after(line, "flush list ", &b.PendingFlush)
		after(line, "single page ", &b.PendingPage)
	case strings.HasPrefix(line, "Pages read ") && strings.Contains(line, ", created "):
		after(line, "Pages read ", &b.Read)
		after(line, "created ", &b.Created)
		after(line, "written ", &b.Written)
	}
}

// rows reads a line of ROW OPERATIONS.
func (p *parser) rows(line string) {
	r := &p.s.Rows
	switch {
	case strings.HasPrefix(line, "Number of rows inserted "):
		after(line, "inserted ", &r.Inserted)
		after(line, "updated ", &r.Updated)
		after(line, "deleted ", &r.Deleted)
		after(line, "read ", &r.Read)
	case strings.HasSuffix(line, " queries in queue"):
		before(line, " queries inside InnoDB", &r.Inside)
		before(line, " queries in queue", &r.Queued)
	case strings.HasSuffix(line, " read views open inside InnoDB"):
		before(line, " read views", &r.ReadViews)
	}
}
