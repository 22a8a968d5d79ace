package rt

import (
	"bytes"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// crossed looks whether the first request that was left without an answer
// crossed the FIN with which the server had closed an idle connection, and was
// answered by RST. A FIN acknowledges all that its sender has: a request that
// begins behind that was not there yet when the server closed, whichever of the
// two the capture saw first.
func (a *Assembler) crossed(e *proto.Exchange) {
	c := &a.conn
	switch {
	case c.CloseState != Idle && c.CloseState != Waiting:
	case c.Closer.Dir != flow.ToClient || !c.Closer.ThenReset:
	case e.Doubt != 0 || e.Request.Start < a.taken:
	case asksNothing(e) || !a.idleAtClose():
	default:
		c.CloseState = Crossed
	}
}

// idleAtClose says that the server had waited for another request when it
// closed the connection. One that closes right behind an answer has said so with
// it, and the client that asks on has not listened.
func (a *Assembler) idleAtClose() bool {
	since := max(a.previous.At, a.conn.Established.At)
	server, client, _ := a.conn.HandshakeRTT()
	return since > 0 && time.Duration(a.conn.Closer.At-since) > server+client
}

// asksNothing says whether a request is one by which a pool sees whether a
// connection is still there, taking another one if it is not, or a farewell.
func asksNothing(e *proto.Exchange) bool {
	switch e.Command {
	case "Ping", "PING", "QUIT", "Sync", "ResetConnection":
		return true
	case "Query", "Execute":
		const maxPing = 32 // a statement that is longer asks for something
		switch string(bytes.ToLower(bytes.Trim(e.Text[:min(len(e.Text), maxPing)], " ;\n"))) {
		case "", "select 1", "select 1 from dual", "-- ping", "/* ping */":
			return true
		}
	}
	return false
}
