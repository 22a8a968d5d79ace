package metric

import (
	"time"

	"rtrail/internal/recording"
)

var (
	RTDisconnect = add(Metric{ID: "rt.disconnect", Course: RTDisconnects, Name: "first close",
		Help: "when the first FIN or RST came on the first connection that was closed in the middle of a request, counted from that request, and who sent it",
		Unit: "seconds", Source: "packets: TCP flags", Tools: []string{"tshark -r FILE -Y 'tcp.flags.fin==1 || tcp.flags.reset==1'"},
		Traps: []string{"what the other side sends afterwards is an answer to it", "a proxy between speaks with the server's address", "in state idle it is the usual end of a connection"}})
	RTInterrupted = add(Metric{ID: "rt.interrupted", Course: RTDisconnects, Name: "answer so far",
		Help: "bytes of the answer that had come when the connection was closed", Unit: "bytes", Source: "packets, the protocol decoded", Tools: []string{"rtrail packets FILE --connection ID", "tshark -r FILE -q -z follow,tcp,ascii,0"},
		Traps: []string{"bytes that were under way and not captured are missing"}})
	RTOutstanding = add(Metric{ID: "rt.outstanding", Name: "unacknowledged at the close",
		Help: "bytes of the other side that the closing one had not acknowledged", Unit: "bytes", Source: "packets: sequence and acknowledgement numbers", Tools: []string{"tshark -r FILE -T fields -e tcp.analysis.bytes_in_flight"},
		Traps: []string{"some are always under way where much is sent"}})
	RTAnswersSince = add(Metric{ID: "rt.answers-since", Course: RTRequests, Name: "answers since a request waits", Help: "answers of the service after the oldest request that waits came", Unit: "count", Source: "packets",
		Tools: []string{"rtrail packets FILE --by second"}, Traps: []string{"a service that is seldom asked has few"}})
	RTUnanswered = add(Metric{ID: "rt.unanswered", Course: RTRequests, Name: "requests that wait at the end",
		Help: "how long requests had waited for the server when the window ended: complete, acknowledged, on connections that were up, the oldest of each connection; a lower bound of their response times", Unit: "seconds", Source: "table packet_unanswered", Tools: []string{"rtrail packets FILE --by connection", "tshark -r FILE -Y 'tcp.len > 0' -T fields -e tcp.stream -e ip.src -e frame.time_relative"},
		Traps: []string{"long polling, blocking pops and replication wait by design", "their answers are in no response time"}, Healthy: "what answers usually take"})
	RTDisconnects = add(Metric{ID: "rt.disconnects",
		Labels: []string{"service"}, Series: connections(func(c *recording.PacketConnection) time.Time {
			return when(c.ClosedAt, c.CloseState == "waiting" || c.CloseState == "response")
		}),
		Name: "connections closed in the middle",
		Help: "connections of a service that one side closed while a request was under way", Unit: "count", Source: "packets: TCP flags and decoded requests", Tools: []string{"tshark -r FILE -Y 'tcp.flags.fin==1 || tcp.flags.reset==1'"},
		Traps: []string{"a program that loses one connection often gives all others up: only the first is a cause"}, Healthy: "0"})
	RTErrorRate = add(Metric{ID: "rt.error-rate",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return float64(s.Failed) }),
		Name: "rate of one error", Help: "answers of a service that are one certain error, per second", Unit: "per second", Source: "packets: decoded answers",
		Tools: []string{"rtrail packets FILE --by statement", "tshark -r FILE -Y mysql.error_code -T fields -e mysql.error_code"}, Traps: []string{"programs ask on purpose for what may not be there"}, Healthy: "0"})
	RTErrors = add(Metric{ID: "rt.errors",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return part(s.Failed, s.Count+s.Ambiguous+s.Lossy) }),
		Name: "answers that are errors",
		Help: "share of the answers of a service that are errors, with their codes", Unit: "share", Source: "packets: MySQL and PostgreSQL error packets, HTTP status from 400, Redis errors, DNS response codes other than NXDOMAIN", Tools: []string{"rtrail packets FILE --by statement", "tshark -r FILE -Y mysql.error_code -T fields -e mysql.error_code"},
		Traps: []string{"programs ask on purpose for what may not be there: 404, duplicate keys", "what runs in TLS is not seen"}, Healthy: "under 1 %, but for errors that are asked for"})
	RTFailingStatement = add(Metric{ID: "rt.failing-statement", Course: RTErrors, Name: "statement that fails most",
		Help: "how often one statement, literals removed, was answered by an error", Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --by statement"},
		Traps: []string{"one text may fail for several reasons; those that programs ask for on purpose are not counted with the others"}, Healthy: "0"})
	RTErrorTime = add(Metric{ID: "rt.error-time", Name: "response time of errors",
		Help: "mean response time of the errors, beside that of the answers that are none", Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --by statement"},
		Traps: []string{"fast errors make the mean of a service look good"}})
	RTIdleBeforeCommit = add(Metric{ID: "rt.idle-before-commit", Course: RTIdle, Name: "pause before COMMIT",
		Help: "from the last packet of the answer before to the first one of COMMIT on the same connection: the transaction is open and its client does something else",
		Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --by statement", "mysql -e 'select * from information_schema.innodb_trx'"},
		Traps: []string{"seen from the server it holds the way to the client and back"}, Healthy: "as short as before other statements"})
	RTIdleBefore = add(Metric{ID: "rt.idle-before", Name: "pause before other statements",
		Help: "mean time from an answer to the next statement that neither begins nor ends a transaction", Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --transactions --json"},
		Traps: []string{"programs that do not send BEGIN have their time between transactions in it"}})
	RTTransactionWork = add(Metric{ID: "rt.transaction-work", Name: "work per transaction",
		Help: "what all statements but BEGIN and ROLLBACK take for each COMMIT, each taken as fast as a tenth of its executions", Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --by statement"},
		Traps: []string{"statements outside of transactions are in it"}})
	RTConnectionSpread = add(Metric{ID: "rt.connection-spread", Course: RTQuantiles, Name: "slow beside fast connections",
		Help: "the fastest answer on the connections that are always slow, divided by the mean on the slowest of the others", Unit: "times", Source: "packets: minimum and mean response time of each connection", Tools: []string{"rtrail packets FILE --by connection"},
		Traps: []string{"connections with slow statements of their own are slow without a fault"}, Healthy: "well under 1: every connection has fast answers"})
	RTConnectionProbability = add(Metric{ID: "rt.connection-probability", Formerly: []string{"rt.connection-chance"}, Name: "probability that this is chance",
		Help: "how likely it is that all slow answers fell on the same connections if it did not depend on the connection: share of slow answers to the power of their number, times the ways to choose the connections",
		Unit: "probability", Source: "packets", Tools: []string{"rtrail packets FILE --by connection"},
		Traps: []string{"it says that connections differ, not why"}})
	RTStatementElsewhere = add(Metric{ID: "rt.statement-elsewhere", Name: "slow here, fast there",
		Help: "slow connections of which it is known that the statements they waited for are fast on others", Unit: "count", Source: "packets: slowest transactions, and the median of their statement", Tools: []string{"rtrail packets FILE --transactions", "rtrail packets FILE --by statement"},
		Traps: []string{"one text with other parameters may be other work"}})
	RTSlowConnections = add(Metric{ID: "rt.slow-connections", Course: RTQuantiles, Name: "connections that are always slow",
		Help: "how many, and of which clients", Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --by connection", "ss -tn dst SERVER"},
		Traps: []string{"pools hand them out at random, so every client process sees some slow requests"}})
	RTFanOut = add(Metric{ID: "rt.fan-out", Course: RTQuantiles, Name: "calls per request",
		Help: "calls a service makes to another port while it answers a request, and how many of them are under way at once", Unit: "calls", Source: "packets of both, seen at the caller; only requests that were answered one at a time", Tools: []string{"rtrail packets FILE --transactions"},
		Traps: []string{"a busy service answers many requests at a time, and then calls cannot be assigned to them"}})
	RTSlowCalls = add(Metric{ID: "rt.slow-calls", Course: RTQuantiles, Name: "slow calls",
		Help: "share of the calls that take at least five times the median and 10 ms more than it, and how long", Unit: "share", Source: "packets", Tools: []string{"rtrail packets FILE --histogram"},
		Traps: []string{"the mean hides them"}})
	RTAffectedRequests = add(Metric{ID: "rt.affected-requests", Formerly: []string{"rt.struck-requests"}, Name: "requests with a slow call",
		Help: "share of the requests of which at least one call was slow, beside 1-(1-p)^n, what it is if calls are slow independently", Unit: "share", Source: "packets", Tools: []string{"rtrail packets FILE --histogram"},
		Traps: []string{"far fewer than the formula says: slow calls come together, in bursts"}})
	RTFanOutFormula = add(Metric{ID: "rt.fan-out-formula", Name: "time for all calls",
		Help: "how long a request has calls under way, on average, beside (1-(1-p)^n) J + (1-p)^n b: p slow calls, n of them per request, J the mean of the slow ones, b that of the others",
		Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --histogram"},
		Traps: []string{"sending hundreds of calls takes time too, which the formula does not have"}})
	RTRoundTrips = add(Metric{ID: "rt.round-trips", Course: RTRequests, Name: "round trips for one piece of work",
		Help: "requests sent one after the other, each after the answer to the one before: within a request of the caller, or in a run of one statement on a connection",
		Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --by statement", "rtrail packets FILE --connection ID"},
		Traps: []string{"what is sent without waiting does not count"}})
	RTRoundTripShare = add(Metric{ID: "rt.round-trip-share", Course: RTConcurrency, Name: "share of round trips",
		Help: "part of the time for a piece of work that the client waited for answers", Unit: "share", Source: "packets", Tools: []string{"rtrail packets FILE --by statement"},
		Traps: []string{"at the server the way to the client looks like a pause of the client; the mean round trip of handshakes is added for it"}})
	RTLongestRun = add(Metric{ID: "rt.longest-run", Course: RTRequests, Name: "longest run of a statement",
		Help: "how often in a row one connection sent the same statement, with something else before and after", Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --connection ID"},
		Traps: []string{"a client that sends one statement only has no runs"}})
	RTHandshake = add(Metric{ID: "rt.handshake", Name: "round trip of handshakes",
		Help: "SYN to SYN-ACK to ACK: the network without any program", Unit: "seconds", Source: "packets", Tools: []string{"tshark -r FILE -Y tcp.analysis.initial_rtt -T fields -e tcp.analysis.initial_rtt"},
		Traps: []string{"only of connections that began in the capture"}})
)
