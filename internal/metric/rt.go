package metric

import (
	"time"

	"rtrail/internal/recording"
)

var (
	RTThreads = add(Metric{ID: "rt.threads", Counter: true, Name: "what serving threads did", Unit: "share",
		Help:   "how the threads of a server spent the time in which requests were waiting for it: on a CPU, waiting for one, for disks, asleep; the value is the share asleep",
		Source: "packets, sock_diag, /proc/PID/stat, schedstat and task/TID", Tools: []string{"pidstat -t -u -d -w -p PID 1", "cat /proc/PID/task/*/wchan"},
		Traps: []string{"work beside the requests counts as work on them: sleep is a lower bound", "a server that waits for events sleeps by design"}})
	RTServe = add(Metric{ID: "rt.serve",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return mean(s.Serve, s.Count) }),
		Name: "time at the server",
		Help: "from the last packet of a request to the first one of its answer, without the round trip from the capture to the server",
		Unit: "seconds", Source: "packets; with captures on both sides that of the server", Tools: []string{"rtrail packets FILE", "tshark -r FILE -Y http.time -T fields -e http.time"},
		Traps: []string{"it holds everything behind the server's interface: kernel queues, pools, its own calls to others", "the clock starts with the first copy of a repeated request"}})
	RTQuantiles = add(Metric{ID: "rt.quantiles",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return mean(s.RTP95, min(s.Count, 1)) }),
		Name: "response times",
		Help: "the time that 50, 95 or 99 of 100 requests did not exceed, from the last packet of the request to the first one of the answer",
		Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --histogram"},
		Traps: []string{"a mean hides a tail, and a caller with many calls meets the tail", "a capture at the client includes the network, one at the server does not"}})
	RTStalls = add(Metric{ID: "rt.stalls", Course: RTQuantiles, Name: "times without an answer",
		Help: "times of 5 ms and more in which a service answered no request, while requests waited on several connections that it usually answers in a tenth of that",
		Unit: "count", Source: "packet_stalls: the first 262,144 answers of a capture", Tools: []string{"rtrail packets FILE --slowest 20   # they end at the same moments"},
		Traps: []string{"a stall of the host, the hypervisor or the network looks the same; who waits for one kind of request tells them apart"}, Healthy: "few"})
	RTHeldUp = add(Metric{ID: "rt.held-up", Course: RTQuantiles, Name: "how fast what waited can be",
		Help: "a tenth of the answers to what waited most often takes this or less", Unit: "seconds", Source: "packet_stalls, usual", Tools: []string{"rtrail packets FILE --by statement"},
		Traps: []string{"requests of protocols that are not decoded are told apart by their length only"}})
	RTRequests = add(Metric{ID: "rt.requests",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return float64(s.Count) }),
		Name: "requests answered",
		Help: "requests whose answer began in the second, of those whose times count", Unit: "per second", Source: "table packet_services, count", Tools: []string{"rtrail packets FILE --by second"},
		Traps: []string{"clients that wait for a slow server ask less"}})
	RTConcurrency = add(Metric{ID: "rt.concurrency",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return s.RTSum.Seconds() }),
		Name: "requests under way",
		Help: "mean number of requests that wait for their answer: requests a second times their mean response time",
		Unit: "requests", Source: "packets: sum of response times by length of the window", Tools: []string{"rtrail packets FILE --by second"},
		Traps: []string{"a client that asks without pause keeps it at one per connection, however fast the server is"}})
	RTStatement = add(Metric{ID: "rt.statement", Name: "share of one statement",
		Help: "part of all response time that one statement, literals removed, takes", Unit: "share", Source: "packets: text of the statements", Tools: []string{"rtrail packets FILE --by statement", "pt-query-digest --type tcpdump"},
		Traps: []string{"one text may stand for very different parameters", "encrypted connections show none"}})
	RTWay = add(Metric{ID: "rt.way", Name: "round trip to one end",
		Help: "from the capture to one end and back: SYN to SYN-ACK towards the server, SYN-ACK to ACK towards the client, or data to pure acknowledgement",
		Unit: "seconds", Source: "packets: handshakes without lost copies; pure acknowledgements by Karn's rule", Tools: []string{"tshark -r FILE -Y tcp.analysis.initial_rtt -T fields -e tcp.analysis.initial_rtt", "ping"},
		Traps: []string{"kernels answer, so it says nothing about the program", "acknowledgements are held back for up to 40 ms", "taken at the beginning of connections only, where these live long"}})
	RTHops = add(Metric{ID: "rt.hops", Course: RTServe, Name: "time by hop",
		Help: "how a response time divides between the way to the server, the server and the way back, and how long the client took before the next request",
		Unit: "share", Source: "two captures of the same connections, their clocks aligned by the packets themselves", Tools: []string{"rtrail packets --client-side A.pcap --server-side B.pcap"},
		Traps: []string{"the two ways are known to within the error of the clocks; their sum is exact", "what is lost in one capture is left out"}})
	RTPath = add(Metric{ID: "rt.path", Course: RTQuantiles, Name: "time between two captures",
		Help: "what packets take there and back between the client's and the server's capture, beside the shortest time seen",
		Unit: "seconds", Source: "two captures of the same connections", Tools: []string{"ping", "mtr"},
		Traps: []string{"large answers need longer on slow lines", "virtual switches and filters on the hosts lie outside of both captures or between them, by where these were taken"}})
	RTRetransmit = add(Metric{ID: "rt.retransmit",
		Labels: []string{"service"}, Series: served("seconds per second", func(s *recording.PacketService) float64 { return s.Retransmit.Seconds() }),
		Name: "time waited for repeats",
		Help: "time within requests and answers from the first copy of a packet to the copy that arrived",
		Unit: "seconds", Source: "packets", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission"},
		Traps: []string{"a repeat may be needless: the first copy, or only its acknowledgement, was late", "what is lost before it reaches the capture is seen as the sender's repeat only"}, Healthy: "0"})
	RTZeroWindow = add(Metric{ID: "rt.zero-window",
		Labels: []string{"service"}, Series: served("seconds per second", func(s *recording.PacketService) float64 { return s.ZeroWindow.Seconds() }),
		Name: "time with a closed window",
		Help: "how long one side told the other to send nothing, as its receive buffer was full", Unit: "seconds", Source: "packets: window field 0", Tools: []string{"tshark -r FILE -Y tcp.analysis.zero_window", "ss -tnmi   # Recv-Q"},
		Traps: []string{"a window may be too small without being closed"}, Healthy: "0"})
	RTIdle = add(Metric{ID: "rt.idle",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return part(int64(s.Idle), int64(s.Idle+s.RTSum)) }),
		Name: "client idle",
		Help: "how long a client that has its answer asks nothing on the same connection", Unit: "share", Source: "packets: last packet of an answer to first one of the next request", Tools: []string{"rtrail packets FILE --by client"},
		Traps: []string{"users think, timers wait, pools hold connections that are not needed: idle is normal", "only a client that usually asks at once shows by its pauses that something holds it"}})
	RTModes = add(Metric{ID: "rt.modes", Course: RTQuantiles, Formerly: []string{"rt.humps"}, Name: "peaks of response times",
		Help: "number of separate peaks in the distribution of response times", Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --histogram"},
		Traps: []string{"two statements, or hits and misses of a cache, also make two peaks", "a mean of two peaks is a time that no request takes"}, Healthy: "1 for each kind of work"})
	RTWorkers = add(Metric{ID: "rt.workers", Course: RTConcurrency, Name: "workers kept busy",
		Help: "requests done in a second times the seconds of work each needs: how many were worked on concurrently", Unit: "count", Source: "packets", Tools: []string{"rtrail packets FILE --by second"},
		Traps: []string{"only where all jobs take the same time"}})
	RTBackend = add(Metric{ID: "rt.backend",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return mean(s.RTP50, min(s.Count, 1)) }),
		Name: "response time beside the peers'",
		Help: "median response time of one of several servers of a kind, beside that of the others", Unit: "seconds", Source: "packets", Tools: []string{"rtrail packets FILE --by server"},
		Traps: []string{"servers that do other work, such as a primary among replicas, are no peers: compare the same statements"}})
	RTBackendLoad = add(Metric{ID: "rt.backend-load", Course: RTRequests, Name: "load beside the peers'",
		Help: "requests one of several servers got, in multiples of their mean", Unit: "times the mean", Source: "packets", Tools: []string{"rtrail packets FILE --by server"},
		Traps: []string{"clients that wait for answers send less to the server that is slow"}, Healthy: "near 1"})
	RTSYNRepeats = add(Metric{ID: "rt.syn-repeats",
		Labels: []string{"service"}, Series: connections(func(c *recording.PacketConnection) time.Time { return when(c.At, c.SYNs > 1 && !c.Refused) }),
		Name: "repeated SYNs",
		Help: "connects whose SYN was sent more than once, as no answer came", Unit: "count", Source: "packets", Tools: []string{"tshark -r FILE -Y 'tcp.flags.syn==1 && tcp.analysis.retransmission'", "nstat -az TcpExtTCPSynRetrans"},
		Traps: []string{"the SYN, or the answer to it, may have been lost", "a full accept queue looks like a loss"}, Healthy: "0"})
	RTSYNACKRepeats = add(Metric{ID: "rt.syn-ack-repeats",
		Labels: []string{"service"}, Series: connections(func(c *recording.PacketConnection) time.Time { return when(c.At, c.SYNACKs > 1) }),
		Name: "ignored handshakes",
		Help: "connections whose SYN-ACK came again although the client had answered it and sent data", Unit: "count", Source: "packets", Tools: []string{"tshark -r FILE -Y 'tcp.flags.syn==1 && tcp.flags.ack==1 && tcp.analysis.retransmission'", "nstat -az TcpExtListenOverflows"},
		Traps: []string{"a lost ACK alone also brings a second SYN-ACK; data that follows would have ended that"}, Healthy: "0"})
	RTConnect = add(Metric{ID: "rt.connect", Course: RTSYNRepeats, Name: "connect time",
		Help: "first SYN to first SYN-ACK, lost copies included", Unit: "seconds", Source: "packets", Tools: []string{"tshark -r FILE -Y tcp.connection.syn"},
		Traps: []string{"whole seconds are those of the timer that repeats SYNs, not of the network"}, Healthy: "one round trip"})
	RTProcess = add(Metric{ID: "rt.process", Name: "what a process of the exchange did",
		Help: "how the threads of the server, or of the client, spent the window: on a CPU, ready but without one, waiting for a disk",
		Unit: "share", Source: "/proc/PID/task/*: stat, schedstat, wchan, syscall, in samples", Tools: []string{"pidstat -t -u -d -p PID 1", "cat /proc/PID/task/*/wchan"},
		Traps: []string{"mean over the threads that were not idle: one busy thread among many shows as little"}})
)
