package rt

import (
	"bytes"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// crossed looks whether the first request that was left without an answer
// crossed the FIN with which the server had closed an idle connection, and was
// answered by RST. A FIN acknowledges all that its sender has: a request that
// begins behind that was not there yet when the server closed, whichever of the
// two the capture saw first.
func (a *Assembler) crossed(e *proto.Exchange) {
	c := a.conn
	switch {
	case c.CloseState != tcp.Idle && c.CloseState != tcp.Waiting:
	case c.Closer.Dir != flow.ToClient || !c.Closer.ThenReset:
	case e.Doubt != 0 || e.Request.Start < a.taken:
	case tests(e) || !a.idleAtClose():
	default:
		c.CloseState = tcp.Crossed
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

// tests says whether a request asks for nothing: pools send such ones to see
// whether a connection is still there, and take another one if it is not, or to
// say farewell.
func tests(e *proto.Exchange) bool {
	switch e.Command {
	case "Ping", "PING", "QUIT", "Sync", "ResetConnection":
		return true
	case "Query", "Execute":
		text := bytes.ToLower(bytes.Trim(e.Text[:min(len(e.Text), 32)], " ;\n"))
		return len(text) == 0 || string(text) == "select 1" || string(text) == "-- ping" || string(text) == "/* ping */"
	}
	return false
}
