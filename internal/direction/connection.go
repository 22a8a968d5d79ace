package direction

import (
	"time"

	"rtrail/internal/recording"
)

const (
	// FirstRetry is how long Linux, and most others, wait before a SYN is
	// repeated: TCP_TIMEOUT_INIT of include/net/tcp.h, RFC 6298 section 2.1.
	FirstRetry = time.Second
	// aboutRetry is how much earlier a repeat may come, by timers that are coarse.
	aboutRetry = 100 * time.Millisecond
)

// SilentSYNs counts the SYNs that got no answer where the client had to repeat
// its SYN, and says how long it waited; 0 where it had not.
func SilentSYNs(c *recording.PacketConnection) (n int32, waited time.Duration) {
	switch {
	case c.Refused, c.SYNs < 2:
	case c.SYNACKs == 0:
		return c.SYNs, c.Last.Sub(c.At)
	case c.Connect >= FirstRetry-aboutRetry:
		return c.SYNs - 1, c.Connect
	}
	return 0, 0
}

// ResetHarm is what a reset did to a connection.
type ResetHarm int

// What resets do. One of an idle connection, which saves the closing side
// TIME_WAIT, harms nobody, nor does one after all was answered, nor one that
// answers a farewell.
const (
	NoHarm         ResetHarm = iota // no reset, or one that did no harm
	ConnectRefused                  // a SYN was answered by RST
	ExchangeBroken                  // a request or its answer was under way
	UnreadLost                      // the closing side had not acknowledged all it was sent, and nothing else is known to have been under way
	RequestCrossed                  // the server had closed the idle connection by FIN, and a request that crossed it was answered by RST
)

// HarmOf tells what the reset of the connection did; Closer is who sent it.
func HarmOf(c *recording.PacketConnection) ResetHarm {
	switch {
	case c.Refused:
		return ConnectRefused
	case c.CloseState == "crossed":
		return RequestCrossed
	case c.CloseState == "dismissed":
		return NoHarm // the client was told, and did not listen
	case !c.CloseReset:
		return NoHarm
	case c.CloseState == "request" || c.CloseState == "waiting" || c.CloseState == "response":
		return ExchangeBroken
	case c.Outstanding > 0:
		return UnreadLost
	}
	return NoHarm
}
