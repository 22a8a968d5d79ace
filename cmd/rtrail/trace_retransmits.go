package main

import (
	"io"
	"net"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/retransmits"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newRetransmitsTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.TCPEvent, recording.TCPEvent]{
		traceJob: j, out: out, reads: retransmits.New(), sum: view.SumTCPEvents,
		columns: []document.Column{
			{Name: "packets", Right: true}, {Name: "kind"}, {Name: "local"}, {Name: "remote"}, {Name: "state", Drop: 1}, {Name: "reason", Drop: 2},
			{Name: "bytes", Right: true, Drop: 3}, {Name: "failed", Right: true, Drop: 4}, {Name: "netns", Right: true, Drop: 5},
		},
		wanted: func(*recording.TCPEvent) bool { return true },
		took:   func(*recording.TCPEvent) time.Duration { return 0 },
		cells: func(r *recording.TCPEvent) []string {
			return []string{unit.Count(r.Packets).String(), r.Kind, endpoint(r.Local, r.LocalPort), endpoint(r.Remote, r.RemotePort), tcpState(r.State), r.Reason,
				unit.Bytes(r.Bytes).String(), unit.Count(r.Failed).String(), strconv.FormatUint(r.NetNS, 10)}
		},
		line: func(_ time.Time, r *recording.TCPEvent) any { return tcpEventLine(r) },
	}
}

// endpoint is an address and port; of several connections only what they share.
func endpoint(address string, port uint16) string {
	switch {
	case address == "" && port == 0:
		return "*"
	case address == "":
		return ":" + strconv.Itoa(int(port))
	case port == 0:
		return net.JoinHostPort(address, "*")
	}
	return net.JoinHostPort(address, strconv.Itoa(int(port)))
}

// tcpStates are the kernel's words for states of connections (include/net/tcp_states.h).
var tcpStates = []string{"", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV"}

func tcpState(s recording.TCPState) string {
	if int(s) < len(tcpStates) {
		return tcpStates[s]
	}
	return strconv.Itoa(int(s))
}

// tracedTCPEvent is the JSON form of a row.
type tracedTCPEvent struct {
	At         time.Time `json:"at"`
	Packets    int64     `json:"packets"`
	Kind       string    `json:"kind"`
	Local      string    `json:"local,omitempty"`
	LocalPort  uint16    `json:"local_port,omitempty"`
	Remote     string    `json:"remote,omitempty"`
	RemotePort uint16    `json:"remote_port,omitempty"`
	State      string    `json:"state,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Bytes      int64     `json:"bytes"`
	Failed     int64     `json:"failed"`
	NetNS      uint64    `json:"netns,omitempty"`
}

func tcpEventLine(r *recording.TCPEvent) tracedTCPEvent {
	return tracedTCPEvent{At: r.At, Packets: r.Packets, Kind: r.Kind, Local: r.Local, LocalPort: r.LocalPort, Remote: r.Remote, RemotePort: r.RemotePort,
		State: tcpState(r.State), Reason: r.Reason, Bytes: r.Bytes, Failed: r.Failed, NetNS: r.NetNS}
}
