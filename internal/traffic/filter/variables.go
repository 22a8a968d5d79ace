package filter

import (
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"rtrail/internal/document"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// variable is a name that expressions may use. What is not known of a
// transaction has no value: a comparison with it is neither true nor false, and
// || and && go on without it where the other side decides.
type variable struct {
	name  string
	kind  *cel.Type
	help  string
	value func(*rt.Transaction) ref.Val
}

var unknown = types.NewErr("not known of this transaction")

func requested(t *rt.Transaction) bool { return t.Frames[0] != 0 }
func answered(t *rt.Transaction) bool  { return requested(t) && t.Frames[2] != 0 }
func always(*rt.Transaction) bool      { return true }

func duration(name, help string, known func(*rt.Transaction) bool, of func(*rt.Transaction) time.Duration) variable {
	return variable{name, cel.DurationType, help, func(t *rt.Transaction) ref.Val {
		if d := of(t); d >= 0 && known(t) {
			return types.Duration{Duration: d}
		}
		return unknown
	}}
}

func millis(name, help string, of func(*rt.Transaction) time.Duration) variable {
	return variable{name, cel.DoubleType, help, func(t *rt.Transaction) ref.Val {
		if d := of(t); d >= 0 && answered(t) {
			return types.Double(float64(d) / 1e6)
		}
		return unknown
	}}
}

func word(name, help string, of func(*rt.Transaction) string) variable {
	return variable{name, cel.StringType, help, func(t *rt.Transaction) ref.Val { return types.String(of(t)) }}
}

func number(name, help string, known func(*rt.Transaction) bool, of func(*rt.Transaction) int64) variable {
	return variable{name, cel.IntType, help, func(t *rt.Transaction) ref.Val {
		if n := of(t); n >= 0 && known(t) {
			return types.Int(n)
		}
		return unknown
	}}
}

var variables = []variable{
	duration("rt", "last request packet to first response packet", answered, func(t *rt.Transaction) time.Duration { return t.RT }),
	duration("upload", "first to last request packet", requested, func(t *rt.Transaction) time.Duration { return t.Upload }),
	duration("server", "last copy of the last request packet to\nfirst response packet", answered, func(t *rt.Transaction) time.Duration { return t.Serve }),
	duration("download", "first to last response packet", answered, func(t *rt.Transaction) time.Duration { return t.Download }),
	duration("idle", "end of the previous response on the connection\nto the request", requested, func(t *rt.Transaction) time.Duration { return t.Idle }),
	duration("retransmit", "waited for retransmissions", answered, func(t *rt.Transaction) time.Duration { return t.Retransmit }),
	duration("zero_window", "waited for a closed window", answered, func(t *rt.Transaction) time.Duration { return t.ZeroWindow }),
	duration("delayed_ack", "waited for a delayed acknowledgement", answered, func(t *rt.Transaction) time.Duration { return t.DelayedACK }),
	duration("total", "first request packet to last response packet", answered, (*rt.Transaction).Total),
	millis("rt_ms", "rt in milliseconds", func(t *rt.Transaction) time.Duration { return t.RT }),
	millis("server_ms", "server in milliseconds", func(t *rt.Transaction) time.Duration { return t.Serve }),
	millis("total_ms", "total in milliseconds", (*rt.Transaction).Total),
	word("proto", "mysql, http, kafka, tls, generic, and others", func(t *rt.Transaction) string { return t.Proto }),
	word("command", "what the protocol calls it: Query, GET, A", func(t *rt.Transaction) string { return t.Command }),
	word("fingerprint", "the statement without literals", func(t *rt.Transaction) string { return t.Fingerprint }),
	word("client", "address", func(t *rt.Transaction) string { return t.Client.Addr.String() }),
	number("client_port", "", always, func(t *rt.Transaction) int64 { return int64(t.Client.Port) }),
	word("server_addr", "address", func(t *rt.Transaction) string { return t.Server.Addr.String() }),
	word("server_host", "the same", func(t *rt.Transaction) string { return t.Server.Addr.String() }),
	number("server_port", "", always, func(t *rt.Transaction) int64 { return int64(t.Server.Port) }),
	word("status", "answered, no answer expected, unanswered, unpaired", func(t *rt.Transaction) string { return t.Status.String() }),
	{"failed", cel.BoolType, "the answer is an error", func(t *rt.Transaction) ref.Val { return types.Bool(t.Failed) }},
	word("code", "of the error or answer: 1146, 404, NXDOMAIN", func(t *rt.Transaction) string { return t.Code }),
	word("error", "its text", func(t *rt.Transaction) string { return t.Error }),
	number("rows", "rows or elements of the answer", func(t *rt.Transaction) bool { return t.Rows != proto.RowsUnknown }, func(t *rt.Transaction) int64 { return t.Rows }),
	number("depth", "requests under way, this one included", always, func(t *rt.Transaction) int64 { return int64(t.Depth) }),
	word("doubt", "why its times are not averaged: approximate,\nambiguous, lossy, resync, blocking, or nothing", func(t *rt.Transaction) string { return strings.Join(t.Doubt.Words(), ",") }),
	number("request_bytes", "", requested, func(t *rt.Transaction) int64 { return t.RequestBytes }),
	number("response_bytes", "", func(t *rt.Transaction) bool { return t.Frames[2] != 0 }, func(t *rt.Transaction) int64 { return t.ResponseBytes }),
	number("connection", "its id", always, func(t *rt.Transaction) int64 { return int64(t.Connection) }),
}

// Names lists the variables.
func Names() []string {
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	return names
}

// Help is a line for each variable.
func Help() string {
	lines := document.FixedLines([]document.Column{{}, {Fixed: 15}, {Fixed: 8}, {}}, 0)
	var b []byte
	for _, v := range variables {
		name, kind := v.name, strings.TrimPrefix(v.kind.String(), "google.protobuf.")
		for line := range strings.SplitSeq(v.help, "\n") {
			b = lines.Append(b, []string{"", name, kind, line})
			name, kind = "", ""
		}
	}
	return string(b)
}

// byName finds the values.
var byName = func() map[string]func(*rt.Transaction) ref.Val {
	m := map[string]func(*rt.Transaction) ref.Val{}
	for _, v := range variables {
		m[v.name] = v.value
	}
	return m
}()

// activation gives an expression the values of a transaction, as they are asked for.
type activation struct{ t *rt.Transaction }

// ResolveName implements cel.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	value, ok := byName[name]
	if !ok {
		return nil, false
	}
	return value(a.t), true
}

// Parent implements cel.Activation.
func (a *activation) Parent() cel.Activation { return nil }
