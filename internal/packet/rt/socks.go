package rt

import (
	"bytes"

	"rtrail/internal/packet/flow"
)

// throughSOCKS says that a connection begins with the greeting of SOCKS, which no
// decoder but the last one takes: the same one that users name for such a port. A
// trial tells what comes behind it.
func (a *Assembler) throughSOCKS(name string, c *flow.Chunk) bool {
	last := a.tracker.Protocols[len(a.tracker.Protocols)-1].Name
	return name == last && c.Dir == flow.ToServer && c.Offset == 0 && !a.conn.Midway && greetsSOCKS(c.Data)
}

// greetsSOCKS knows a greeting of version 5 (RFC 1928: how many methods, and each)
// and a request of version 4 (connect or bind, port, address, user, of 4a also a
// name).
func greetsSOCKS(b []byte) bool {
	switch {
	case len(b) < 3:
		return false
	case b[0] == 5:
		return b[1] > 0 && len(b) == 2+int(b[1])
	case b[0] == 4:
		return (b[1] == 1 || b[1] == 2) && len(b) > 8 && b[len(b)-1] == 0 && bytes.Count(b[8:], []byte{0}) <= 2
	}
	return false
}
