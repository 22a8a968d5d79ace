package cgroup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// pageCounterMax is about what version 1 prints for "no limit":
// PAGE_COUNTER_MAX pages, a little below 2^63 bytes whatever the page size.
const pageCounterMax = 1 << 62

// parseNumber reads a number or "max". Without either it is Unknown.
func parseNumber(b []byte) int64 {
	b = bytes.TrimSpace(b)
	if string(b) == "max" {
		return unlimited
	}
	n, ok := procfile.Int(b)
	if !ok {
		return recording.Unknown
	}
	if n >= pageCounterMax {
		return unlimited
	}
	return n
}

// microseconds is n of them.
func microseconds(n int64) time.Duration { return procfile.Duration(uint64(n), time.Microsecond) }

// parseStall reads the "some" total of a pressure file.
func parseStall(b []byte) time.Duration {
	line, _ := procfile.Line(b)
	if _, total, ok := bytes.Cut(line, []byte("total=")); ok && bytes.HasPrefix(line, []byte("some ")) {
		if n, ok := procfile.Int(total); ok && n >= 0 {
			return microseconds(n)
		}
	}
	return recording.Unknown
}

// parseCPUMax reads cpu.max: "max 100000" or "50000 100000".
func parseCPUMax(b []byte) (quota, period time.Duration) {
	quota, period = recording.Unknown, recording.Unknown
	q, rest := procfile.Field(bytes.TrimSpace(b))
	n := parseNumber(q)
	switch {
	case n == unlimited:
		quota = unlimited
	case n >= 0:
		quota = microseconds(n)
	}
	if n := parseNumber(rest); n > 0 {
		period = microseconds(n)
	}
	return quota, period
}

// ioTotals are the sums over all devices.
type ioTotals struct{ readBytes, writeBytes, reads, writes int64 }

// parseIOStat reads io.stat: "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0".
func parseIOStat(b []byte) ioTotals {
	var t ioTotals
	for field := range bytes.FieldsSeq(b) {
		key, value, ok := bytes.Cut(field, []byte{'='})
		n, number := procfile.Int(value)
		if !ok || !number || n < 0 {
			continue
		}
		switch string(key) {
		case "rbytes":
			t.readBytes += n
		case "wbytes":
			t.writeBytes += n
		case "rios":
			t.reads += n
		case "wios":
			t.writes += n
		}
	}
	return t
}

// parseBlkio sums lines "8:0 Read 4096" of a version 1 counter file.
func parseBlkio(b []byte) (read, written int64) {
	for line := range procfile.Lines(b) {
		_, rest := procfile.Field(line)
		kind, rest := procfile.Field(rest)
		field, _ := procfile.Field(rest)
		n, ok := procfile.Int(field)
		if !ok || n < 0 {
			continue
		}
		switch string(kind) {
		case "Read":
			read += n
		case "Write":
			written += n
		}
	}
	return read, written
}

// parseIOMax reads io.max and leaves out what is not limited.
func parseIOMax(b []byte) string {
	var devices []string
	for line := range procfile.Lines(b) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		limits := string(fields[0])
		for _, f := range fields[1:] {
			if !bytes.HasSuffix(f, []byte("=max")) {
				limits += " " + string(f)
			}
		}
		if limits != string(fields[0]) {
			devices = append(devices, limits)
		}
	}
	return strings.Join(devices, ";")
}

// throttleLimits joins the limits of version 1, which has a file for each kind
// with lines "8:0 1048576", into the form of io.max.
func throttleLimits(files map[string][]byte) string {
	limits, devices := map[string]string{}, []string{}
	for _, kind := range []string{"rbps", "wbps", "riops", "wiops"} {
		for device, n := range procfile.Numbers(files[kind]) {
			limits[string(device)] += fmt.Sprintf(" %s=%d", kind, n)
		}
	}
	for device, text := range limits {
		devices = append(devices, device+text)
	}
	slices.Sort(devices)
	return strings.Join(devices, ";")
}
