package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// views are the ways to look at a capture, with every form of output; which one is
// taken is the first byte of an input.
var fuzzedViews = [][]string{
	{"packets"}, {"packets", "--json"}, {"packets", "--transactions"}, {"packets", "--transactions", "--json"}, {"packets", "--histogram"},
	{"packets", "--histogram", "--json"}, {"packets", "--slowest", "3"}, {"packets", "--by", "statement"}, {"packets", "--by", "connection", "--json"},
	{"packets", "--by", "client"}, {"packets", "--by", "server"}, {"packets", "--format", `%T %n %a %95M %S\n`}, {"packets", "--html", "OUT"},
	{"packets", "--markdown"}, {"packets", "--histogram", "--markdown"}, {"packets", "--connection", "1", "--all"}, {"packets", "--extract", "1", "-o", "OUT"}, {"packets", "--filter", "failed || rt > duration('1us')"},
	{"diagnose"}, {"diagnose", "--json"}, {"diagnose", "--markdown"}, {"diagnose", "-v"},
}

// servers are ports at which decoders are hinted at.
var fuzzedPorts = []uint16{3306, 5432, 80, 6379, 443, 53, 9999, 4000}

// FuzzCapture feeds the whole program captures whose frames are well formed and
// whose checksums are right, so that what they carry reaches every decoder, view
// and printer.
func FuzzCapture(f *testing.F) {
	for view := range fuzzedViews {
		for i, text := range []string{
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "*1\r\n$4\r\nPING\r\n", "\x0c\x00\x00\x00\x03select 1", "Q\x00\x00\x00\rselect 1\x00", "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
		} {
			port := byte([]int{2, 3, 0, 1, 4}[i])
			in := []byte{byte(view)}
			in = append(in, port, 1, byte(len(text)))
			in = append(in, text...)
			in = append(in, port|0x80, 2, 8, 'H', 'T', 'T', 'P', '\x1b', '[', '3', '1')
			f.Add(in)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 4096 {
			return
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "fuzzed.pcap")
		if err := os.WriteFile(path, fuzzedCapture(in[1:]), 0o600); err != nil {
			t.Fatal(err)
		}
		runFuzzed(t, dir, append(slices.Clone(fuzzedViews[int(in[0])%len(fuzzedViews)]), path))
	})
}

// FuzzDump feeds it dumps of stacks.
func FuzzDump(f *testing.F) {
	forms := [][]string{{"stacks"}, {"stacks", "--json"}, {"stacks", "--pmp"}, {"stacks", "--collapsed"}, {"stacks", "-v", "--html", "OUT"}, {"stacks", "--pprof", "OUT"}, {"diagnose"}, {"diagnose", "--json"}}
	for i := range forms {
		f.Add(byte(i), []byte("main;work;\x1b[31mread 5\nmain;pthread_mutex_lock 7\n"))
		f.Add(byte(i), []byte("Thread 1 (Thread 0x7f00 (LWP 7)):\n#0  0x00007f poll () from /lib/libc.so.6\n#1  0x0001 in main (a=1) at x.c:5\n\n"))
		f.Add(byte(i), []byte("goroutine 1 [select, 5 minutes]:\nmain.main()\n\t/x.go:5 +0x1\n\n"))
	}
	f.Fuzz(func(t *testing.T, form byte, text []byte) {
		if len(text) > 8192 {
			return
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "dump.txt")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		runFuzzed(t, dir, append(slices.Clone(forms[int(form)%len(forms)]), path))
	})
}

// runFuzzed runs the program and looks at what it prints.
func runFuzzed(t *testing.T, dir string, args []string) {
	t.Helper()
	for i, a := range args {
		if a == "OUT" {
			args[i] = filepath.Join(dir, "out")
		}
	}
	var out, errs bytes.Buffer
	code := run(args, &out, &errs)
	if code != exitOK && code != exitFailed {
		t.Fatalf("%v exits with %d\n%s", args, code, errs.String())
	}
	if strings.Contains(out.String()+errs.String(), "crashed (bug)") {
		t.Errorf("%v:\n%s%s", args, out.String(), errs.String())
	}
	for name, text := range map[string]string{"standard output": out.String(), "standard error": errs.String()} {
		if at := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }); at >= 0 {
			t.Errorf("%v prints a control character to %s: %q", args, name, text[max(0, at-40):min(len(text), at+40)])
		}
	}
	if !slices.Contains(args, "--json") || code != exitOK {
		return
	}
	for d := json.NewDecoder(&out); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v prints no JSON: %v", args, err)
		}
	}
}

// fuzzedCapture makes a pcap of segments. Each is told by a byte for the port, the
// highest bit of which is its direction, one for the client and the time that
// passes, one for the length of its payload, and the payload.
func fuzzedCapture(in []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	out = append(out, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0) // raw IP
	next := map[[2]uint16][2]uint32{}
	at := uint64(1_700_000_000_000_000)
	emit := func(packet []byte) {
		for _, n := range []uint32{uint32(at / 1e6), uint32(at % 1e6), uint32(len(packet)), uint32(len(packet))} {
			out = binary.LittleEndian.AppendUint32(out, n)
		}
		out = append(out, packet...)
	}
	for len(in) >= 3 {
		server, client, back := fuzzedPorts[int(in[0]&0x7f)%len(fuzzedPorts)], 40000+uint16(in[1]&3), in[0]>>7
		at += 1 << (in[1] >> 3)
		n := min(int(in[2]), len(in)-3)
		payload := in[3 : 3+n]
		in = in[3+n:]
		key := [2]uint16{client, server}
		seq, known := next[key]
		if server == 53 {
			emit(segment(17, client, server, back, 0, 0, 0, payload))
			continue
		}
		if !known {
			seq = [2]uint32{1000, 2000}
			emit(segment(6, client, server, 0, seq[0]-1, 0, 0x02, nil))
			at += 100
			emit(segment(6, client, server, 1, seq[1]-1, seq[0], 0x12, nil))
		}
		emit(segment(6, client, server, back, seq[back], seq[1-back], 0x18, payload))
		seq[back] += uint32(n)
		next[key] = seq
	}
	return out
}

// segment is an IPv4 packet with the checksums it should have.
func segment(protocol byte, client, server uint16, back byte, seq, ack uint32, flags byte, payload []byte) []byte {
	from, to, ports := [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2}, [2]uint16{client, server}
	if back == 1 {
		from, to, ports = to, from, [2]uint16{server, client}
	}
	var l4 []byte
	l4 = binary.BigEndian.AppendUint16(l4, ports[0])
	l4 = binary.BigEndian.AppendUint16(l4, ports[1])
	sumAt := 6
	if protocol == 6 {
		l4 = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(l4, seq), ack)
		l4 = append(l4, 5<<4, flags, 255, 255, 0, 0, 0, 0)
		sumAt = 16
	} else {
		l4 = binary.BigEndian.AppendUint16(l4, uint16(8+len(payload)))
		l4 = append(l4, 0, 0)
	}
	l4 = append(l4, payload...)
	pseudo := slices.Concat(from[:], to[:], []byte{0, protocol, byte(len(l4) >> 8), byte(len(l4))}, l4)
	binary.BigEndian.PutUint16(l4[sumAt:], internetSum(pseudo))
	ip := []byte{0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol, 0, 0}
	binary.BigEndian.PutUint16(ip[2:], uint16(20+len(l4)))
	ip = slices.Concat(ip, from[:], to[:])
	binary.BigEndian.PutUint16(ip[10:], internetSum(ip))
	return append(ip, l4...)
}

// internetSum is RFC 1071's.
func internetSum(b []byte) uint16 {
	sum := uint32(0)
	for i, c := range b {
		sum += uint32(c) << (8 * (1 - i%2))
	}
	for sum>>16 > 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
