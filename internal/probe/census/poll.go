package census

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// poll counts by the files of /proc.
func (c *Census) poll(exact bool) error {
	c.order = c.order[:0]
	if err := c.dir.PIDs(func(pid int32) { c.order = append(c.order, pid) }); err != nil {
		return err
	}
	slices.Sort(c.order)
	for _, pid := range c.order {
		p := c.known[pid]
		if p == nil {
			c.meet(pid)
			continue
		}
		c.look(p, exact)
	}
	c.list = c.list[:0]
	for _, pid := range c.order {
		if p := c.known[pid]; p != nil && p.round == c.count {
			c.list = append(c.list, p)
		}
	}
	return nil
}

// meet reads a process for the first time.
func (c *Census) meet(pid int32) {
	b, err := c.dir.Read(Name(pid, "stat"))
	at := time.Now()
	if err != nil {
		return // it ended meanwhile
	}
	s, ok := ParseStat(b, c.names.String)
	if !ok {
		return
	}
	p := &process{Entry: Entry{Stat: s, PID: pid, At: at, Seen: at, Sched: Sched{Slices: -1}, UID: -1}, fd: -1, round: c.count}
	p.Started = c.boot.Add(time.Duration(s.StartTicks) * Tick)
	// A process that begins while rtrail watches is active; of those that were
	// there before nothing is known yet.
	if c.count > 1 || notAsleep(s.State) {
		p.Active = at
	}
	c.known[pid] = p
	c.keep(p, p.Threads == 1)
	if p.isSched && p.fd >= 0 {
		if b, err := c.dir.ReadOpen(p.fd); err == nil {
			if s, ok := ParseSched(b); ok {
				p.Sched = s
			}
		}
	}
}

// look reads a known process again, as far as needed.
func (c *Census) look(p *process, exact bool) {
	p.round = c.count
	single := p.Threads == 1
	if single != p.isSched || p.fd < 0 {
		c.drop(p)
		c.keep(p, single)
	}
	at := time.Now()
	if single && p.fd >= 0 {
		b, err := c.dir.ReadOpen(p.fd)
		if err != nil {
			c.again(p)
			return
		}
		s, ok := ParseSched(b)
		// A task on a CPU right now has not been counted for this turn yet.
		if ok && s == p.Sched && !notAsleep(p.State) && !(exact && p.RSSPages >= largePages) {
			p.At = at
			return
		}
		if ok && s != p.Sched && p.Sched.Slices >= 0 {
			p.Active = at
		}
		if ok {
			p.Sched = s
		}
	}
	c.stat(p, at)
}

// stat reads /proc/PID/stat of a known process.
func (c *Census) stat(p *process, at time.Time) {
	var b []byte
	var err error
	if p.fd >= 0 && !p.isSched {
		b, err = c.dir.ReadOpen(p.fd)
	} else {
		b, err = c.dir.Read(Name(p.PID, "stat"))
	}
	s, ok := Stat{}, false
	if err == nil {
		s, ok = ParseStat(b, c.names.String)
	}
	if !ok || s.StartTicks != p.StartTicks {
		c.again(p)
		return
	}
	moved := s.User != p.User || s.System != p.System || s.MinorFaults != p.MinorFaults || s.MajorFaults != p.MajorFaults ||
		s.ChildUser != p.ChildUser || s.ChildSystem != p.ChildSystem || s.State != p.State || s.Threads != p.Threads
	if moved || notAsleep(s.State) {
		p.Active = at
	}
	p.Stat, p.At = s, at
}

// largePages is the resident size, in pages, from which reclaim can take away
// enough of a sleeping process to matter: 8 MB with pages of 4 KB.
const largePages = 2048

// notAsleep is true for states in which a process wants something: it runs,
// wants to, or waits for a disk.
func notAsleep(state byte) bool { return state == 'R' || state == 'D' }

// asleep is true for states in which it waits for something to do.
func asleep(state byte) bool { return state == 'S' || state == 'I' }

// again handles a PID that is now somebody else's, or nobody's.
func (c *Census) again(p *process) {
	c.drop(p)
	delete(c.known, p.PID)
	c.meet(p.PID)
}

// keep opens the file by which the process will be watched.
func (c *Census) keep(p *process, single bool) {
	p.isSched = single
	if c.files >= c.limit {
		return
	}
	file := "stat"
	if single {
		file = "schedstat"
	}
	fd, err := c.dir.Open(Name(p.PID, file))
	if err != nil {
		return
	}
	p.fd = fd
	c.files++
}

func (c *Census) drop(p *process) {
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
		c.files--
	}
}
