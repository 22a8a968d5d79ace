package socket

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"

	"rtrail/internal/redact"
)

// phrase puts the matches of a rule in words, as nft(8) would, as far as they
// are understood. What is not understood is named, so that a rule never looks
// wider than it is.
type phrase struct {
	words  []string
	loaded loaded  // what the last expression put into a register
	random float64 // probability of a random match
}

// loaded is a value taken from a packet that a later expression compares.
type loaded struct {
	name   string // "tcp dport"; "" when nothing is loaded
	format func([]byte) string
	mask   []byte
	modulo uint32 // of a random number
}

// protocols by number, as far as firewalls name them.
var protocols = map[byte]string{1: "icmp", 6: "tcp", 17: "udp", 47: "gre", 50: "esp", 58: "icmpv6", 132: "sctp"}

// String joins the words. A protocol that a port names again is left out.
func (p *phrase) String() string {
	all := strings.Join(p.words, " ")
	for _, name := range []string{"tcp", "udp", "sctp"} {
		for _, field := range []string{"sport", "dport"} {
			if strings.Contains(all, " "+name+" "+field+" ") {
				all = strings.Replace(all, "meta l4proto "+name+" ", "", 1)
			}
		}
	}
	return all
}

func (p *phrase) say(format string, args ...any) {
	p.words = append(p.words, fmt.Sprintf(format, args...))
}

func (p *phrase) add(e any) {
	switch e := e.(type) {
	case *expr.Meta:
		p.loaded = meta(e.Key)
	case *expr.Payload:
		p.loaded = p.payload(e)
	case *expr.Ct:
		p.loaded = loaded{name: "ct state", format: ctState}
		if e.Key != expr.CtKeySTATE {
			p.loaded = loaded{name: fmt.Sprintf("ct key %d", e.Key), format: hex}
		}
	case *expr.Numgen:
		p.loaded = loaded{name: "numgen", format: decimal, modulo: e.Modulus}
		if e.Type == numgenIncremental {
			p.loaded.modulo = 0
		}
	case *expr.Bitwise:
		p.loaded.mask = e.Mask
	case *expr.Cmp:
		p.compare(e)
	case *expr.Range:
		p.say("%s %s%s-%s", p.loaded.name, negation(e.Op), p.loaded.text(e.FromData), p.loaded.text(e.ToData))
	case *expr.Lookup:
		not := ""
		if e.Invert {
			not = "!= "
		}
		p.say("%s %s@%s", p.loaded.name, not, e.SetName)
	case *expr.Limit:
		p.limit(e)
	case *expr.Connlimit:
		p.say("ct count %d", e.Count)
	case *expr.Match:
		p.match(e)
	case string:
		p.say("(%s)", e)
	}
}

// numgenIncremental is NFT_NG_INCREMENTAL: round robin, not random.
const numgenIncremental = 0

func meta(key expr.MetaKey) loaded {
	switch key {
	case expr.MetaKeyIIFNAME:
		return loaded{name: "iifname", format: quoted}
	case expr.MetaKeyOIFNAME:
		return loaded{name: "oifname", format: quoted}
	case expr.MetaKeyL4PROTO:
		return loaded{name: "meta l4proto", format: protocol}
	case expr.MetaKeyNFPROTO:
		return loaded{name: "meta nfproto", format: nfproto}
	case expr.MetaKeyMARK:
		return loaded{name: "meta mark", format: hex}
	case expr.MetaKeySKUID:
		return loaded{name: "meta skuid", format: decimal}
	case expr.MetaKeyPRANDOM:
		// 32 random bits.
		return loaded{name: "random", format: decimal, modulo: 1<<32 - 1}
	}
	return loaded{name: fmt.Sprintf("meta key %d", key), format: hex}
}

// payload names the header field that an offset means.
func (p *phrase) payload(e *expr.Payload) loaded {
	switch {
	case e.Base == expr.PayloadBaseNetworkHeader && e.Offset == 12 && e.Len <= 4:
		return loaded{name: "ip saddr", format: address}
	case e.Base == expr.PayloadBaseNetworkHeader && e.Offset == 16 && e.Len <= 4:
		return loaded{name: "ip daddr", format: address}
	case e.Base == expr.PayloadBaseNetworkHeader && e.Offset == 9 && e.Len == 1:
		return loaded{name: "ip protocol", format: protocol}
	case e.Base == expr.PayloadBaseNetworkHeader && e.Offset == 8 && e.Len > 4:
		return loaded{name: "ip6 saddr", format: address}
	case e.Base == expr.PayloadBaseNetworkHeader && e.Offset == 24 && e.Len > 4:
		return loaded{name: "ip6 daddr", format: address}
	case e.Base == expr.PayloadBaseTransportHeader && e.Offset == 0 && e.Len == 2:
		return loaded{name: p.transport() + " sport", format: decimalBig}
	case e.Base == expr.PayloadBaseTransportHeader && e.Offset == 2 && e.Len == 2:
		return loaded{name: p.transport() + " dport", format: decimalBig}
	case e.Base == expr.PayloadBaseTransportHeader && e.Offset == 13 && e.Len == 1:
		return loaded{name: "tcp flags", format: hex}
	}
	return loaded{name: fmt.Sprintf("payload %d,%d,%d", e.Base, e.Offset*8, e.Len*8), format: hex}
}

// transport is the protocol an earlier match of the rule asked for.
func (p *phrase) transport() string {
	for _, w := range p.words {
		for _, known := range []string{"tcp", "udp", "sctp"} {
			if strings.HasSuffix(w, " "+known) {
				return known
			}
		}
	}
	return "th"
}

func (p *phrase) compare(e *expr.Cmp) {
	l := p.loaded
	if l.modulo > 0 && (e.Op == expr.CmpOpLt || e.Op == expr.CmpOpLte) && len(e.Data) == 4 {
		// Random numbers are compared in network order when they were converted
		// for an ordering comparison, which nft always does.
		if len(l.mask) == 4 {
			l.modulo = lowBits(l.mask)
		}
		below := float64(binary.BigEndian.Uint32(e.Data))
		if below > float64(l.modulo) {
			below = float64(binary.NativeEndian.Uint32(e.Data))
		}
		if e.Op == expr.CmpOpLte {
			below++
		}
		p.randomly(min(below/float64(l.modulo), 1))
		return
	}
	if l.mask != nil && allZero(e.Data) && e.Op == expr.CmpOpNeq {
		p.say("%s %s", l.name, l.text(l.mask)) // any of these bits
		return
	}
	if ones, ok := prefix(l.mask); ok && (strings.HasSuffix(l.name, "addr")) {
		p.say("%s %s%s/%d", l.name, negation(e.Op), l.text(e.Data), ones)
		return
	}
	p.say("%s %s%s", l.name, negation(e.Op), l.text(e.Data))
}

// lowBits reads a mask that leaves the low bits of a number, in whichever
// order makes it one: nft masks before or after turning bytes around.
func lowBits(mask []byte) uint32 {
	for _, m := range []uint32{binary.BigEndian.Uint32(mask), binary.NativeEndian.Uint32(mask)} {
		if m != 0 && m&(m+1) == 0 {
			return m
		}
	}
	return 1<<32 - 1
}

func (p *phrase) randomly(probability float64) {
	p.random = probability
	p.say("random %.3g %%", probability*100)
}

func (p *phrase) limit(e *expr.Limit) {
	unit := map[expr.LimitTime]string{
		expr.LimitTimeSecond: "second", expr.LimitTimeMinute: "minute", expr.LimitTimeHour: "hour",
		expr.LimitTimeDay: "day", expr.LimitTimeWeek: "week",
	}[e.Unit]
	over, what := "", ""
	if e.Over {
		over = "over "
	}
	if e.Type == expr.LimitTypePktBytes {
		what = " bytes"
	}
	p.say("limit rate %s%d%s/%s", over, e.Rate, what, unit)
}

// match puts an extension of iptables in words.
func (p *phrase) match(e *expr.Match) {
	switch info := e.Info.(type) {
	case *xt.Tcp:
		p.ports("tcp", info.SrcPorts, info.DstPorts, info.InvFlags&xt.TcpInvSrcPorts != 0, info.InvFlags&xt.TcpInvDestPorts != 0)
		if info.FlagsMask != 0 {
			p.say("tcp flags %#x/%#x", info.FlagsCmp, info.FlagsMask)
		}
	case *xt.Udp:
		p.ports("udp", info.SrcPorts, info.DstPorts, info.InvFlags&xt.UdpInvSrcPorts != 0, info.InvFlags&xt.UdpInvDestPorts != 0)
	case *xt.Comment:
		p.say("comment %q", redact.Text(string(*info)))
	case *xt.ConntrackMtinfo3:
		p.conntrack(&info.ConntrackMtinfo2)
	case *xt.ConntrackMtinfo2:
		p.conntrack(info)
	case *xt.Unknown:
		if e.Name == "statistic" {
			if probability, ok := statistic(*info); ok {
				p.randomly(probability)
				return
			}
		}
		p.say("-m %s", e.Name)
	default:
		p.say("-m %s", e.Name)
	}
}

// conntrack puts a match of states in words. The bits are those of ct state
// for the states that can be combined with others.
func (p *phrase) conntrack(info *xt.ConntrackMtinfo2) {
	if info.MatchFlags&^uint16(xt.ConntrackState|xt.ConntrackStateAlias) != 0 || info.StateMask&0xf == 0 {
		p.say("-m conntrack")
		return
	}
	not := ""
	if info.InvertFlags&uint16(xt.ConntrackState) != 0 {
		not = "!= "
	}
	p.say("ct state %s%s", not, ctState(binary.NativeEndian.AppendUint32(nil, uint32(info.StateMask&0xf))))
}

func (p *phrase) ports(protocol string, source, dest [2]uint16, notSource, notDest bool) {
	one := func(name string, r [2]uint16, not bool) {
		if r == [2]uint16{0, 65535} {
			return
		}
		text, sign := fmt.Sprint(r[0]), ""
		if r[0] != r[1] {
			text = fmt.Sprintf("%d-%d", r[0], r[1])
		}
		if not {
			sign = "!= "
		}
		p.say("%s %s %s%s", protocol, name, sign, text)
	}
	one("sport", source, notSource)
	one("dport", dest, notDest)
}

// statistic reads struct xt_statistic_info
// (include/uapi/linux/netfilter/xt_statistic.h): mode, flags, and for mode
// random a probability in units of 2^-31.
func statistic(b []byte) (probability float64, ok bool) {
	const (
		invert     = 1
		random     = 0
		nth        = 1
		modeOffset = 0
		flags      = 2
		value      = 4
	)
	if len(b) < value+4 {
		return 0, false
	}
	v := binary.NativeEndian.Uint32(b[value:])
	switch binary.NativeEndian.Uint16(b[modeOffset:]) {
	case random:
		probability = float64(v) / (1 << 31)
	case nth:
		// The kernel stores "every n" as n-1.
		probability = 1 / (float64(v) + 1)
	default:
		return 0, false
	}
	if binary.NativeEndian.Uint16(b[flags:])&invert != 0 {
		probability = 1 - probability
	}
	return max(0, min(probability, 1)), true
}

func (l loaded) text(b []byte) string {
	if l.format == nil {
		return hex(b)
	}
	return l.format(b)
}

func negation(op expr.CmpOp) string {
	switch op {
	case expr.CmpOpNeq:
		return "!= "
	case expr.CmpOpLt:
		return "< "
	case expr.CmpOpLte:
		return "<= "
	case expr.CmpOpGt:
		return "> "
	case expr.CmpOpGte:
		return ">= "
	}
	return ""
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// prefix is the length of a mask that begins with ones and ends with zeros.
func prefix(mask []byte) (int, bool) {
	ones, over := 0, false
	for _, c := range mask {
		for bit := 7; bit >= 0; bit-- {
			set := c>>bit&1 == 1
			if set && over {
				return 0, false
			}
			if set {
				ones++
			} else {
				over = true
			}
		}
	}
	return ones, len(mask) > 0
}

func hex(b []byte) string { return fmt.Sprintf("%#x", b) }

func quoted(b []byte) string { return fmt.Sprintf("%q", strings.TrimRight(string(b), "\x00")) }

func protocol(b []byte) string {
	if len(b) == 1 {
		if name, ok := protocols[b[0]]; ok {
			return name
		}
	}
	return decimal(b)
}

func nfproto(b []byte) string {
	switch {
	case len(b) == 1 && b[0] == 2:
		return "ipv4"
	case len(b) == 1 && b[0] == 10:
		return "ipv6"
	}
	return hex(b)
}

func decimal(b []byte) string {
	switch len(b) {
	case 1:
		return fmt.Sprint(b[0])
	case 2:
		return fmt.Sprint(binary.NativeEndian.Uint16(b))
	case 4:
		return fmt.Sprint(binary.NativeEndian.Uint32(b))
	}
	return hex(b)
}

func decimalBig(b []byte) string {
	if len(b) == 2 {
		return fmt.Sprint(binary.BigEndian.Uint16(b))
	}
	return hex(b)
}

// address writes an address; a shorter one is the beginning that a mask of
// whole bytes leaves.
func address(b []byte) string {
	if a, ok := netip.AddrFromSlice(b); ok {
		return a.String()
	}
	size := 4
	if len(b) > 4 {
		size = 16
	}
	if len(b) > size || len(b) == 0 {
		return hex(b)
	}
	full := make([]byte, size)
	copy(full, b)
	a, _ := netip.AddrFromSlice(full)
	return fmt.Sprintf("%s/%d", a, len(b)*8)
}

// ctState names the bits of connection tracking states.
func ctState(b []byte) string {
	if len(b) != 4 {
		return hex(b)
	}
	bits := binary.NativeEndian.Uint32(b)
	var names []string
	for i, name := range []string{"invalid", "established", "related", "new", "", "", "untracked"} {
		if bits>>i&1 == 1 && name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return hex(b)
	}
	return strings.Join(names, ",")
}
