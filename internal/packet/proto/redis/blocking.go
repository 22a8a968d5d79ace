package redis

import (
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// blocks is set in the tag of a command for which the server waits because it is
// asked to. Below are its kind and the number of its arguments.
const blocks = 1 << 31

// wait marks a command for which the server waits because it is asked to, and
// those behind it.
func (p *parser) wait(q *pair.Pending) {
	if q.Depth == 1 {
		p.waits = 0
	}
	if p.blocks {
		q.Tag |= blocks
		if !p.multi {
			p.waits++
		}
	}
	if p.waits > 0 {
		q.Doubt |= proto.Blocking
	}
}

// waited is told that a command is answered. Within MULTI nothing blocks, and
// the beginning or the end of that may have been missed.
func (p *parser) waited(q *pair.Pending) {
	if q.Tag&blocks == 0 {
		return
	}
	if q.Doubt&proto.Blocking != 0 && p.waits > 0 {
		p.waits--
	}
	if now := &p.queue.Now; now.Code == "QUEUED" {
		q.Doubt &^= proto.Blocking
	} else if !now.Failed {
		q.Doubt |= proto.Blocking
	}
}
