package main

import (
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/drops"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newDropsTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.PacketDrop, recording.PacketDrop]{
		traceJob: j, out: out, reads: drops.New(),
		columns: []document.Column{
			{Name: "packets", Right: true}, {Name: "bytes", Right: true, Drop: 3}, {Name: "reason"}, {Name: "function"}, {Name: "proto"}, {Name: "port", Right: true},
			{Name: "device", Drop: 1}, {Name: "netns", Right: true, Drop: 4}, {Name: "from", Drop: 2}, {Name: "to", Drop: 2},
		},
		wanted: func(*recording.PacketDrop) bool { return true },
		sum:    view.SumDrops,
		took:   func(*recording.PacketDrop) time.Duration { return 0 },
		cells: func(r *recording.PacketDrop) []string {
			port := ""
			if r.Port > 0 {
				port = strconv.Itoa(int(r.Port))
			}
			return []string{unit.Count(r.Packets).String(), unit.Bytes(r.Bytes).String(), r.Reason, r.Function, r.Protocol, port,
				r.Device, strconv.FormatUint(r.NetNS, 10), r.Source, r.Destination}
		},
		line: func(_ time.Time, r *recording.PacketDrop) any { return dropLine(r) },
	}
}

// tracedDrop is the JSON form of a row.
type tracedDrop struct {
	At          time.Time `json:"at"`
	Packets     int64     `json:"packets"`
	Bytes       int64     `json:"bytes"`
	Reason      string    `json:"reason"`
	Function    string    `json:"function"`
	Protocol    string    `json:"protocol"`
	Port        uint16    `json:"port,omitempty"`
	Device      string    `json:"device,omitempty"`
	NetNS       uint64    `json:"netns,omitempty"`
	Source      string    `json:"source,omitempty"`
	Destination string    `json:"destination,omitempty"`
}

func dropLine(r *recording.PacketDrop) tracedDrop {
	return tracedDrop{At: r.At, Packets: r.Packets, Bytes: r.Bytes, Reason: r.Reason, Function: r.Function, Protocol: r.Protocol, Port: r.Port,
		Device: r.Device, NetNS: r.NetNS, Source: r.Source, Destination: r.Destination}
}
