package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/unit"
)

// watched is a source that shows on a terminal how far it was read.
type watched struct {
	pcap.Source
	stderr  io.Writer // nil: nobody looks
	began   time.Time
	shown   time.Time
	packets uint64
	bytes   int64
	size    int64 // of the files; 0: not known
}

const (
	// patience is after how long somebody wants to know what is going on.
	patience = time.Second
	// recordHeader is what a capture file has for each packet beside its bytes.
	recordHeader = 16
)

func counting(src pcap.Source, files []string, stderr io.Writer, wanted bool) *watched {
	w := &watched{Source: src, began: time.Now()}
	if _, tty := terminalWidth(stderr); !tty || !wanted {
		return w
	}
	w.stderr = stderr
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || !info.Mode().IsRegular() {
			w.size = 0
			break
		}
		w.size += info.Size()
	}
	return w
}

// Next implements pcap.Source.
func (w *watched) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := w.Source.Next(ctx)
	if w.stderr == nil || b == nil {
		return b, err
	}
	w.packets += uint64(len(b.Packets))
	for i := range b.Packets {
		w.bytes += int64(len(b.Packets[i].Data)) + recordHeader
	}
	if now := time.Now(); now.Sub(w.began) > patience && now.Sub(w.shown) > patience/4 {
		w.shown = now
		of := ""
		// A compressed file unpacks to more than its size.
		if w.size >= w.bytes {
			of = fmt.Sprintf(", %s", unit.Share(float64(w.bytes)/float64(w.size)))
		}
		fmt.Fprintf(w.stderr, "\rreading: %s packets%s (Ctrl-C: answer now) \x1b[K", unit.Count(w.packets), of)
	}
	return b, err
}

// done wipes the line.
func (w *watched) done() {
	if !w.shown.IsZero() {
		fmt.Fprint(w.stderr, "\r\x1b[K")
	}
}
