package socket

import (
	"hash/maphash"
	"time"

	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// walkMemory is what the last walk over a table of connections read.
// Of thousands of them most rest, and then the row that was made of one still
// holds, but for the time that passed: it is not made again.
type walkMemory struct {
	seed   maphash.Seed
	list   []connection // of the last walk, in its order
	before []connection // of the walk before, as far as not reached
	spare  []connection // memory for the next list
	memory []recording.TCPSample
	round  int64 // the sample of the last walk
	busy   int   // how many did something since the one before, or are new
}

// connection is what is kept of one. Hashes are of 64 bits and differ from run
// to run: that two readings of a socket differ and their hashes do not happens
// once in 10^19 times.
type connection struct {
	socket, content uint64 // hashes of who it is and of all that was read
	inode           uint64
	row             *recording.TCPSample
}

const (
	// lookAhead is how many connections of the last walk may have gone in one
	// place of the hash table. They are spread over all of it by chance.
	lookAhead = 32

	// connectionsAtOnce is for how many new rows memory is taken: how many there
	// will be shows only while they are made.
	connectionsAtOnce = 64
)

func newWalkMemory() *walkMemory { return &walkMemory{seed: maphash.MakeSeed()} }

// begin starts a walk.
func (c *walkMemory) begin(round int64) {
	c.round, c.busy = round, 0
	list := c.spare[:0]
	if cap(list) > 4*len(c.list)+connectionsAtOnce {
		list = nil // most connections are gone
	}
	c.list, c.before, c.spare = list, c.list, c.list
}

// resting returns the connection as the last walk read it, if nothing of it but
// the time has changed since. Both walks have the same order.
func (c *walkMemory) resting(k *kernel.SocketRow) (now connection, ok bool) {
	now.socket, now.content = k.Hash(c.seed)
	for i := range c.before[:min(len(c.before), lookAhead)] {
		if was := &c.before[i]; was.socket == now.socket {
			c.before = c.before[i+1:]
			if was.content != now.content || k.Waits() {
				return now, false
			}
			return *was, true
		}
	}
	return now, false
}

// room is memory for a new row.
func (c *walkMemory) room() *recording.TCPSample {
	if len(c.memory) == 0 {
		c.memory = make([]recording.TCPSample, connectionsAtOnce)
	}
	return &c.memory[0]
}

// add takes a connection into the list, with the row for which there was room if
// it has none.
func (c *walkMemory) add(now connection) connection {
	if now.row == nil {
		now.row, c.memory = &c.memory[0], c.memory[1:]
		now.inode = now.row.Inode
		c.busy++
	}
	c.list = append(c.list, now)
	return now
}

// rests says whether hardly any connection did something since the walk before.
// Dumps by sock_diag do not tell.
func (p *Probe) rests() bool {
	all, busy := len(p.tcp), len(p.tcp)
	for _, c := range p.walked {
		if c.round == p.samples {
			all, busy = all+len(c.list), busy+c.busy
		}
	}
	return float64(busy) < busyShare*float64(all)
}

// later makes of the row of a connection the one of a time up to which it rested.
func later(last *recording.TCPSample, at time.Time) recording.TCPSample {
	row := *last
	row.At = at
	return row
}

// eachInode visits the inodes of the connections of this sample until visit says
// no.
func (p *Probe) eachInode(visit func(inode uint64) bool) {
	for i := range p.tcp {
		if !visit(p.tcp[i].Inode) {
			return
		}
	}
	for _, c := range p.walked {
		if c.round != p.samples {
			continue
		}
		for i := range c.list {
			if !visit(c.list[i].inode) {
				return
			}
		}
	}
}
