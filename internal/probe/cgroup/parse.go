package cgroup

import (
	"bytes"
	"fmt"
	"maps"
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

// ioTotals are the sums over all devices, or of one.
type ioTotals struct{ readBytes, writeBytes, reads, writes int64 }

func (t *ioTotals) add(o ioTotals) {
	t.readBytes, t.writeBytes, t.reads, t.writes = t.readBytes+o.readBytes, t.writeBytes+o.writeBytes, t.reads+o.reads, t.writes+o.writes
}

// parseIOStat reads io.stat, lines "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0": the sums, and
// those of the devices that are kept. Linux 5.13 to 5.18 do not end the line of a device without
// numbers: "8:16 8:0 rbytes=1" (block/blk-cgroup.c).
func parseIOStat(b []byte, kept map[string]*ioTotals) (all ioTotals) {
	for line := range procfile.Lines(b) {
		var t ioTotals
		var device []byte
		for field := range bytes.FieldsSeq(line) {
			key, value, ok := bytes.Cut(field, []byte{'='})
			if !ok {
				device = field
				continue
			}
			n, number := procfile.Int(value)
			if !number || n < 0 {
				continue
			}
			switch string(key) {
			case "rbytes":
				t.readBytes = n
			case "wbytes":
				t.writeBytes = n
			case "rios":
				t.reads = n
			case "wios":
				t.writes = n
			}
		}
		all.add(t)
		if k := kept[string(device)]; k != nil {
			k.add(t)
		}
	}
	return all
}

// parseBlkio reads lines "8:0 Read 4096" of a version 1 counter file: the sums, and those of the
// devices that are kept. of gives the two numbers of a device that the file is about.
func parseBlkio(b []byte, kept map[string]*ioTotals, of func(*ioTotals) (read, written *int64)) (read, written int64) {
	for line := range procfile.Lines(b) {
		device, rest := procfile.Field(line)
		kind, rest := procfile.Field(rest)
		field, _ := procfile.Field(rest)
		n, ok := procfile.Int(field)
		if !ok || n < 0 {
			continue
		}
		var r, w *int64
		if k := kept[string(device)]; k != nil {
			r, w = of(k)
		}
		switch string(kind) {
		case "Read":
			read += n
			if r != nil {
				*r += n
			}
		case "Write":
			written += n
			if w != nil {
				*w += n
			}
		}
	}
	return read, written
}

// limitedDevices are those that limits are about: "8:0 rbps=1;8:16 wiops=2".
func limitedDevices(limits string) map[string]*ioTotals {
	if limits == "" {
		return nil
	}
	devices := map[string]*ioTotals{}
	for part := range strings.SplitSeq(limits, ";") {
		device, _, _ := strings.Cut(part, " ")
		devices[device] = &ioTotals{}
	}
	return devices
}

// ioDone is what was done on some devices, in the form of recording.CgroupSample.
func ioDone(devices map[string]*ioTotals) string {
	var parts []string
	for _, d := range slices.Sorted(maps.Keys(devices)) {
		t := devices[d]
		parts = append(parts, fmt.Sprintf("%s rbytes=%d wbytes=%d rios=%d wios=%d", d, t.readBytes, t.writeBytes, t.reads, t.writes))
	}
	return strings.Join(parts, ";")
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
