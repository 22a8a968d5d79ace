package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/pcap"
)

// packetsOf reads the packets of a made-up capture.
func packetsOf(t *testing.T, name string) (list []pcap.Packet) {
	t.Helper()
	all := generate.Truths()
	at := slices.IndexFunc(all, func(x generate.Truth) bool { return x.Name == name })
	var b bytes.Buffer
	if err := all[at].Write(&b); err != nil {
		t.Fatal(err)
	}
	src, err := pcap.Open(context.Background(), []string{"-"}, &b)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for {
		batch, err := src.Next(t.Context())
		if err != nil {
			return list
		}
		for _, p := range batch.Packets {
			p.Data = bytes.Clone(p.Data)
			list = append(list, p)
		}
	}
}

// writeStamped writes a pcapng file of Ethernet packets, whose time stamps are
// nanoseconds and may be anything that 64 bits hold.
func writeStamped(t *testing.T, path string, packets []pcap.Packet, stamp func(i int) uint64) {
	t.Helper()
	var b []byte
	block := func(kind uint32, body []byte) {
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
		size := uint32(12 + len(body))
		b = binary.LittleEndian.AppendUint32(b, kind)
		b = binary.LittleEndian.AppendUint32(b, size)
		b = append(b, body...)
		b = binary.LittleEndian.AppendUint32(b, size)
	}
	block(0x0a0d0d0a, append([]byte{0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 8)...))
	block(1, []byte{1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0})
	for i, p := range packets {
		at := stamp(i)
		body := binary.LittleEndian.AppendUint32(nil, 0)
		body = binary.LittleEndian.AppendUint32(body, uint32(at>>32))
		body = binary.LittleEndian.AppendUint32(body, uint32(at))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(p.Data)))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(p.Data)))
		block(6, append(body, p.Data...))
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// bounded is an output that ends when too much is written.
type bounded struct {
	bytes.Buffer
	most int
}

var errTooMuch = errors.New("too much was written")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}

// TestTimesOfAnyKind looks through every view at captures whose clock is at the
// end of time, jumps by years or stands still: all views end, and none prints
// without bound.
func TestTimesOfAnyKind(t *testing.T) {
	const year = uint64(365 * 24 * time.Hour)
	packets := packetsOf(t, "mysql")
	packets = append(packets, packetsOf(t, "request-resent")...)
	n := len(packets)
	usual := func(i int) uint64 { return 1_700_000_000e9 + uint64(i)*1e6 }
	at := func(place int, stamp uint64) func(int) uint64 {
		return func(i int) uint64 {
			if i == place {
				return stamp
			}
			return usual(i)
		}
	}
	for name, stamp := range map[string]func(i int) uint64{
		"the last packet at the end":        at(n-1, math.MaxUint64),
		"the last packet of signed time":    at(n-1, math.MaxInt64),
		"the first packet at the end":       at(0, math.MaxUint64),
		"one packet at the end":             at(n/2, math.MaxUint64),
		"one packet in 2100":                at(n/2, 4_102_444_800e9),
		"one packet in 1970":                at(n/2, 1),
		"all at the end":                    func(int) uint64 { return math.MaxUint64 },
		"all in 1970":                       func(int) uint64 { return 0 },
		"years apart":                       func(i int) uint64 { return uint64(i) * year },
		"years apart, backwards":            func(i int) uint64 { return uint64(n-i) * year },
		"by turns at the beginning and end": func(i int) uint64 { return uint64(i%2) * math.MaxInt64 },
		"an hour apart":                     func(i int) uint64 { return usual(0) + uint64(i)*uint64(time.Hour) },
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.pcapng")
		writeStamped(t, file, packets, stamp)
		for _, view := range []string{
			"", "--every 1h", "--every 8784h", "--by statement", "--by connection", "--by client", "--by server", "--by second --json",
			"--transactions", "--transactions --json", "--slowest 9", "--histogram", "--histogram --json", `--format %T\t%n\t%a\t%M\n`, "--json",
			"--connection 1", "--html " + dir + "/a.html", "--parquet " + dir + "/parquet", "diagnose", "diagnose --json",
		} {
			args := append([]string{"packets", file}, strings.Fields(view)...)
			if rest, ok := strings.CutPrefix(view, "diagnose"); ok {
				args = append([]string{"diagnose", file}, strings.Fields(rest)...)
			}
			out, stderr := &bounded{most: 2 << 20}, &bounded{most: 1 << 20}
			ended := make(chan int, 1)
			go func() { ended <- run(args, out, stderr) }()
			select {
			case code := <-ended:
				if code != exitOK && code != exitFailed || strings.Contains(stderr.String(), errTooMuch.Error()) || strings.Contains(out.String(), "crashed (bug)") {
					t.Errorf("%s: %v: exit code %d, %d bytes: %.300s %.500s", name, args, code, out.Len(), stderr.String(), out.String())
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: %v does not end", name, args)
			}
			if view != "--connection 1" && negative(out.String()) { // which shows the clock as it is
				t.Errorf("%s: %v: a negative time in\n%.2000s", name, args, out.String())
			}
		}
	}
}

// negative says whether a text has a duration or a number below zero, other than
// the -1 of JSON that stands for what is not known.
func negative(text string) bool {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '-')
		if i < 0 {
			return false
		}
		at += i + 1
		before := at < 2 || strings.ContainsRune(" \t:=(", rune(text[at-2]))
		if before && at < len(text) && text[at] >= '0' && text[at] <= '9' && !strings.HasPrefix(text[at:], "1,") && !strings.HasPrefix(text[at:], "1}") && !strings.HasPrefix(text[at:], "1\n") {
			return true
		}
	}
}
