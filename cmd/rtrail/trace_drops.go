package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/drops"
	"rtrail/internal/recording"
)

// dropsTrace prints a table a second of the packets that the kernel dropped.
type dropsTrace struct {
	*traceJob
	out io.Writer
}

func newDropsTrace(j *traceJob, out io.Writer) *dropsTrace {
	return &dropsTrace{traceJob: j, out: out}
}

func (t *dropsTrace) source() event.Source { return drops.New() }

var dropColumns = []document.Column{
	{Name: "packets", Right: true}, {Name: "bytes", Right: true, Drop: 3}, {Name: "reason"}, {Name: "function"}, {Name: "proto"}, {Name: "port", Right: true},
	{Name: "device", Drop: 1}, {Name: "netns", Right: true, Drop: 4}, {Name: "from", Drop: 2}, {Name: "to", Drop: 2},
}

func (t *dropsTrace) sample(rec *recording.Recording) error {
	rows := recording.Rows[recording.PacketDrop](rec)
	if t.json {
		for i := range rows {
			if err := document.JSONLine(t.out, dropLine(&rows[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	table := document.Table{Title: rows[0].At.Local().Format("15:04:05"), Columns: dropColumns}
	if n := len(rows) - t.top; t.top > 0 && n > 0 {
		rows = rows[:t.top]
		table.More = fmt.Sprintf("and %d more: --top", n)
	}
	for i := range rows {
		r := &rows[i]
		port := ""
		if r.Port > 0 {
			port = strconv.Itoa(int(r.Port))
		}
		table.Rows = append(table.Rows, []string{strconv.FormatInt(r.Packets, 10), strconv.FormatInt(r.Bytes, 10), r.Reason, r.Function, r.Protocol, port,
			r.Device, strconv.FormatUint(r.NetNS, 10), r.Source, r.Destination})
	}
	return document.Terminal(t.out, document.Document{Blocks: []document.Block{table}}, terminalOptions(t.out))
}

func (t *dropsTrace) end() error { return nil }

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
