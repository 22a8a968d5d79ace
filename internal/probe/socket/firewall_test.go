package socket

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"

	"rtrail/internal/recording"
)

// The expressions are those nft 1.0.6 and iptables-nft 1.8.9 make of the lines
// that name the tests.
func TestRuleRow(t *testing.T) {
	native := func(n uint32) []byte { return binary.NativeEndian.AppendUint32(nil, n) }
	big := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	tests := []struct {
		name  string
		exprs []any
		want  recording.FirewallRule
		drops bool
	}{
		{
			name: "tcp dport 8080 numgen random mod 100 < 7 counter drop",
			exprs: []any{
				&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{6}},
				&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{0x1f, 0x90}},
				&expr.Numgen{Register: 1, Modulus: 100, Type: 1},
				&expr.Byteorder{SourceRegister: 1, DestRegister: 1, Len: 4, Size: 4},
				&expr.Cmp{Op: expr.CmpOpLt, Register: 1, Data: big(7)},
				&expr.Counter{Packets: 12, Bytes: 720},
				&expr.Verdict{Kind: expr.VerdictDrop},
			},
			want:  recording.FirewallRule{Verdict: "drop", Match: "tcp dport 8080 random 7 %", Random: 0.07, Counted: true, Packets: 12, Bytes: 720},
			drops: true,
		},
		{
			name: "iptables -p tcp -m statistic --mode random --probability 0.1 -j DROP",
			exprs: []any{
				&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{6}},
				&expr.Match{Name: "statistic", Info: unknown(append([]byte{0, 0, 0, 0}, native(214748365)...))},
				&expr.Counter{},
				&expr.Verdict{Kind: expr.VerdictDrop},
			},
			want:  recording.FirewallRule{Verdict: "drop", Match: "meta l4proto tcp random 10 %", Random: 0.1, Counted: true},
			drops: true,
		},
		{
			name: "meta random & 2147483647 < 536870912 drop",
			exprs: []any{
				&expr.Meta{Key: expr.MetaKeyPRANDOM, Register: 1},
				&expr.Byteorder{SourceRegister: 1, DestRegister: 1, Len: 4, Size: 4},
				&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: big(1<<31 - 1), Xor: native(0)},
				&expr.Cmp{Op: expr.CmpOpLt, Register: 1, Data: big(1 << 29)},
				&expr.Verdict{Kind: expr.VerdictDrop},
			},
			want:  recording.FirewallRule{Verdict: "drop", Match: "random 25 %", Random: 0.25},
			drops: true,
		},
		{
			name: "iptables -s 10.1.0.0/16 -p udp --dport 53:60 -j REJECT",
			exprs: []any{
				&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: 12, Len: 4},
				&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: []byte{255, 255, 0, 0}, Xor: native(0)},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{10, 1, 0, 0}},
				&expr.Match{Name: "udp", Info: &xt.Udp{SrcPorts: [2]uint16{0, 65535}, DstPorts: [2]uint16{53, 60}}},
				&expr.Target{Name: "REJECT", Info: unknown(native(0))},
			},
			want:  recording.FirewallRule{Verdict: "reject", Match: "ip saddr 10.1.0.0/16 udp dport 53-60"},
			drops: true,
		},
		{
			name: "iifname lo ct state invalid,new limit rate over 10/second drop",
			exprs: []any{
				&expr.Meta{Key: expr.MetaKeyIIFNAME, Register: 1},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: append([]byte("lo"), make([]byte, 14)...)},
				&expr.Ct{Key: expr.CtKeySTATE, Register: 1},
				&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: native(9), Xor: native(0)},
				&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: native(0)},
				&expr.Limit{Type: expr.LimitTypePkts, Rate: 10, Over: true, Unit: expr.LimitTimeSecond, Burst: 5},
				&expr.Verdict{Kind: expr.VerdictDrop},
			},
			want:  recording.FirewallRule{Verdict: "drop", Match: `iifname "lo" ct state invalid,new limit rate over 10/second`},
			drops: true,
		},
		{
			name:  "meta l4proto tcp osf name unknown drop",
			exprs: []any{&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1}, &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{6}}, "osf", &expr.Verdict{Kind: expr.VerdictDrop}},
			want:  recording.FirewallRule{Verdict: "drop", Match: "meta l4proto tcp (osf)"},
			drops: true,
		},
		{
			name:  "tcp dport 22 accept",
			exprs: []any{&expr.Counter{Packets: 3}, &expr.Verdict{Kind: expr.VerdictAccept}},
			want:  recording.FirewallRule{Counted: true, Packets: 3},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, drops := ruleRow(test.exprs)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" || drops != test.drops {
				t.Errorf("drops %v, want %v; (-want +got)\n%s", drops, test.drops, diff)
			}
		})
	}
}

func unknown(b []byte) *xt.Unknown {
	u := xt.Unknown(b)
	return &u
}

func FuzzWords(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 1, 2, 3, 4}, uint32(12), uint32(4), uint32(100))
	f.Fuzz(func(t *testing.T, data []byte, offset, size, modulus uint32) {
		row, _ := ruleRow([]any{
			&expr.Match{Name: "statistic", Info: unknown(data)},
			&expr.Payload{Base: expr.PayloadBaseNetworkHeader, Offset: offset, Len: size},
			&expr.Bitwise{Mask: data},
			&expr.Cmp{Op: expr.CmpOpNeq, Data: data},
			&expr.Ct{Key: expr.CtKeySTATE}, &expr.Cmp{Data: data},
			&expr.Numgen{Type: 1, Modulus: modulus}, &expr.Cmp{Op: expr.CmpOpLt, Data: data},
		})
		if math.IsNaN(row.Random) || row.Random < 0 || row.Random > 1 {
			t.Errorf("probability %v", row.Random)
		}
	})
}

// Comments of rules are what somebody wrote.
func TestNoSecretsInComments(t *testing.T) {
	comment := xt.Comment("for https://joe:h0rse@api/x, token=h0rse")
	var p phrase
	p.add(&expr.Match{Name: "comment", Info: &comment})
	if got, want := p.String(), `comment "for https://joe:***@api/x, token=***"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
