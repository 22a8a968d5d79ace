// Package netproc parses the network files of /proc. It reads nothing itself:
// the bytes come from whatever network namespace the caller read them in.
package netproc

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Parser parses these files and remembers the names it met, so that the same
// counters of the next sample or namespace cost no allocation. The zero value
// is ready; a Parser is not for concurrent use.
type Parser struct {
	// headers maps a header line of snmp or netstat to what it declares. All
	// namespaces of a kernel print the same few lines.
	headers map[string]header
	split   map[string]splitName
	names   procfile.Names
}

type header struct {
	protocol string
	names    []string
}

type splitName struct{ protocol, name string }

// Table parses /proc/net/snmp or /proc/net/netstat: pairs of lines of which
// the first names the counters and the second gives their values (kernel
// net/ipv4/proc.c). Counters are appended to dst. Pairs that do not fit are
// left out and reported once at the end; the others are kept.
func (p *Parser) Table(dst []recording.ProtocolSample, at time.Time, netns uint64, b []byte) ([]recording.ProtocolSample, error) {
	var bad error
	for len(b) > 0 {
		var names, values []byte
		names, b = procfile.Line(b)
		if len(bytes.TrimSpace(names)) == 0 {
			continue
		}
		values, b = procfile.Line(b)
		h, ok := p.header(names)
		if !ok {
			bad = fmt.Errorf("no protocol in %q", clip(names))
			continue
		}
		rest, ok := bytes.CutPrefix(values, []byte(h.protocol))
		if !ok || len(rest) == 0 || rest[0] != ':' {
			bad = fmt.Errorf("values of %s do not follow its names", h.protocol)
			continue
		}
		rest = rest[1:]
		for _, name := range h.names {
			var field []byte
			field, rest = procfile.Field(rest)
			value, ok := procfile.Int(field)
			if !ok {
				bad = fmt.Errorf("%s%s is %q, not a number", h.protocol, name, clip(field))
				break
			}
			dst = append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: h.protocol, Name: name, Value: value})
		}
	}
	return dst, bad
}

func (p *Parser) header(line []byte) (header, bool) {
	if h, ok := p.headers[string(line)]; ok {
		return h, true
	}
	protocol, rest, ok := bytes.Cut(line, []byte{':'})
	if !ok || len(protocol) == 0 {
		return header{}, false
	}
	h := header{protocol: string(protocol)}
	for _, name := range bytes.Fields(rest) {
		h.names = append(h.names, string(name))
	}
	if p.headers == nil || len(p.headers) >= maxKinds {
		p.headers = map[string]header{}
	}
	p.headers[string(line)] = h
	return h, true
}

// maxKinds bounds what a Parser remembers. IcmpMsg names its counters by the
// types seen in a namespace, so that headers may differ without end.
const maxKinds = 1024

// SNMP6 parses /proc/net/snmp6: one counter a line. Ip6InReceives becomes
// protocol Ip6, name InReceives.
func (p *Parser) SNMP6(dst []recording.ProtocolSample, at time.Time, netns uint64, b []byte) ([]recording.ProtocolSample, error) {
	var bad error
	for line := range procfile.Lines(b) {
		name, rest := procfile.Field(line)
		if len(name) == 0 {
			continue
		}
		field, _ := procfile.Field(rest)
		value, ok := procfile.Int(field)
		if !ok {
			bad = fmt.Errorf("%s is %q, not a number", clip(name), clip(field))
			continue
		}
		s := p.cutAfter6(name)
		dst = append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: s.protocol, Name: s.name, Value: value})
	}
	return dst, bad
}

func (p *Parser) cutAfter6(name []byte) splitName {
	if s, ok := p.split[string(name)]; ok {
		return s
	}
	i := bytes.IndexByte(name, '6') + 1
	s := splitName{protocol: string(name[:i]), name: string(name[i:])}
	if p.split == nil || len(p.split) >= maxKinds {
		p.split = map[string]splitName{}
	}
	p.split[string(name)] = s
	return s
}

// Sockstat parses /proc/net/sockstat and sockstat6. "TCP: inuse 5" becomes
// protocol SockTCP, name inuse; the total line "sockets: used 17" becomes
// protocol Sock. All values are gauges; mem is in pages, memory of FRAG in
// bytes.
func (p *Parser) Sockstat(dst []recording.ProtocolSample, at time.Time, netns uint64, b []byte) ([]recording.ProtocolSample, error) {
	var bad error
	for line := range procfile.Lines(b) {
		head, rest, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		protocol := p.sockProtocol(head)
		for {
			var name, field []byte
			name, rest = procfile.Field(rest)
			if len(name) == 0 {
				break
			}
			field, rest = procfile.Field(rest)
			value, ok := procfile.Int(field)
			if !ok {
				bad = fmt.Errorf("%s %s is %q, not a number", protocol, clip(name), clip(field))
				break
			}
			dst = append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: protocol, Name: p.names.String(name), Value: value})
		}
	}
	return dst, bad
}

func (p *Parser) sockProtocol(head []byte) string {
	if string(head) == "sockets" {
		return "Sock"
	}
	if s, ok := p.split[string(head)]; ok {
		return s.protocol
	}
	if p.split == nil || len(p.split) >= maxKinds {
		p.split = map[string]splitName{}
	}
	s := splitName{protocol: "Sock" + string(head)}
	p.split[string(head)] = s
	return s.protocol
}

// Devices parses /proc/net/dev (kernel net/core/net-procfs.c). Rows are
// appended to dst; MTU is 0, SpeedMbps -1 and Up false, because that file does
// not tell.
func (p *Parser) Devices(dst []recording.NetDeviceSample, at time.Time, netns uint64, b []byte) ([]recording.NetDeviceSample, error) {
	var bad error
	for line := range procfile.Lines(b) {
		// The name may hold a colon itself (old aliases), the numbers never do.
		i := bytes.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		name, _ := procfile.Field(line[:i])
		var v [14]uint64
		rest, ok := line[i+1:], len(name) > 0
		for c := 0; c < len(v) && ok; c++ {
			v[c], rest, ok = procfile.NextUint(rest)
		}
		if !ok {
			bad = fmt.Errorf("cannot read interface line %q", clip(line))
			continue
		}
		dst = append(dst, recording.NetDeviceSample{
			At: at, NetNS: netns, Interface: p.names.String(name), SpeedMbps: recording.Unknown,
			RxBytes: v[0], RxPackets: v[1], RxErrors: v[2], RxDropped: v[3], RxFIFO: v[4],
			TxBytes: v[8], TxPackets: v[9], TxErrors: v[10], TxDropped: v[11], TxFIFO: v[12], Collisions: v[13],
		})
		if carrier, _, ok := procfile.NextUint(rest); ok {
			dst[len(dst)-1].Carrier = carrier
		}
	}
	return dst, bad
}

// Conntrack parses /proc/net/stat/nf_conntrack: a header and one line of
// hexadecimal numbers per CPU (kernel net/netfilter/nf_conntrack_standalone.c).
// The row holds the sum over the CPUs; entries is the same on every line and
// becomes Count. Max and Buckets are sysctls and stay Unknown.
func (p *Parser) Conntrack(at time.Time, netns uint64, b []byte) (recording.ConntrackSample, error) {
	s := recording.ConntrackSample{At: at, NetNS: netns, Count: recording.Unknown, Max: recording.Unknown, Buckets: recording.Unknown}
	for name, field := range cells(b) {
		value, ok := procfile.Hex(field)
		if !ok {
			return s, fmt.Errorf("conntrack statistic %s is %q, not a number", clip(name), clip(field))
		}
		addConntrack(&s, name, value)
	}
	if s.Count == recording.Unknown {
		return s, fmt.Errorf("no column entries in conntrack statistics %q", clip(b))
	}
	return s, nil
}

// cells yields the column and the text of each cell of a file of /proc/net/stat: a
// header and one line per CPU.
func cells(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, field []byte) bool) {
		head, b := procfile.Line(b)
		for line := range procfile.Lines(b) {
			for name := range bytes.FieldsSeq(head) {
				var field []byte
				if field, line = procfile.Field(line); len(field) == 0 {
					break
				}
				if !yield(name, field) {
					return
				}
			}
		}
	}
}

// StatColumns says which columns of files in /proc/net/stat are counters of
// refused work, and the protocol that their rows get. The kernel keeps those of
// neighbours and routes once for all network namespaces.
var StatColumns = map[string]struct {
	Protocol string
	Names    []string
	Global   bool
}{
	"stat/arp_cache":   {"ArpCache", []string{"res_failed", "unresolved_discards", "table_fulls"}, true},
	"stat/ndisc_cache": {"NdiscCache", []string{"res_failed", "unresolved_discards", "table_fulls"}, true},
	"stat/rt_cache":    {"RtCache", []string{"in_martian_dst", "in_martian_src", "gc_dst_overflow"}, true},
	"stat/synproxy":    {"Synproxy", []string{"cookie_invalid"}, false},
}

// Stat parses a file of StatColumns, a header and one line of hexadecimal numbers
// per CPU, into sums over the CPUs.
func (p *Parser) Stat(dst []recording.ProtocolSample, at time.Time, netns uint64, file string, b []byte) ([]recording.ProtocolSample, error) {
	want := StatColumns[file]
	first := len(dst)
	for _, name := range want.Names {
		dst = append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: want.Protocol, Name: name})
	}
	seen := false
	for name, field := range cells(b) {
		i := slices.Index(want.Names, string(name))
		if i < 0 {
			continue
		}
		value, ok := procfile.Hex(field)
		if !ok {
			return dst[:first], fmt.Errorf("%s of %s is %q, not a number", clip(name), file, clip(field))
		}
		dst[first+i].Value += int64(value)
		seen = true
	}
	if !seen {
		return dst[:first], nil // an older kernel without these columns
	}
	return dst, nil
}

// Pairs parses /proc/net/xfrm_stat, tls_stat and sctp/snmp, a counter a line whose
// name begins with the protocol's. Those at zero are left out unless all is set:
// on nearly every host all are.
func (p *Parser) Pairs(dst []recording.ProtocolSample, at time.Time, netns uint64, protocol string, all bool, b []byte) ([]recording.ProtocolSample, error) {
	var bad error
	for line := range procfile.Lines(b) {
		name, rest := procfile.Field(line)
		field, _ := procfile.Field(rest)
		value, ok := procfile.Int(field)
		if !ok || len(name) <= len(protocol) || string(name[:len(protocol)]) != protocol {
			if len(name) > 0 {
				bad = fmt.Errorf("%s is %q, not a number of %s", clip(name), clip(field), protocol)
			}
			continue
		}
		if value != 0 || all {
			dst = append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: protocol, Name: p.names.String(name[len(protocol):]), Value: value})
		}
	}
	return dst, bad
}

func addConntrack(s *recording.ConntrackSample, name []byte, value uint64) {
	switch string(name) {
	case "entries":
		s.Count = int64(value)
	case "found":
		s.Found += value
	case "insert":
		s.Insert += value
	case "insert_failed":
		s.InsertFailed += value
	case "drop":
		s.Drop += value
	case "early_drop":
		s.EarlyDrop += value
	case "invalid":
		s.Invalid += value
	case "chaintoolong", "chainlength": // 5.15 put the count under the older heading
		s.ChainTooLong += value
	}
}

// clip keeps error messages short whatever the file holds.
func clip(b []byte) []byte {
	const maxBytes = 40
	return b[:min(len(b), maxBytes)]
}
