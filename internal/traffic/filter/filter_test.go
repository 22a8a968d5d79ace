package filter

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

func transaction() *rt.Transaction {
	return &rt.Transaction{
		Connection: 3, Proto: "mysql", Command: "Query", Fingerprint: "select * FROM t WHERE id = ?",
		Client: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 40000},
		Server: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306},
		RT:     12 * time.Millisecond, Serve: 2 * time.Millisecond, Retransmit: 10 * time.Millisecond, Idle: -1, Rows: -1, Depth: 1,
		RequestBytes: 30, ResponseBytes: 400, Frames: [4]uint64{4, 4, 6, 6},
	}
}

func TestMatch(t *testing.T) {
	unanswered := transaction()
	unanswered.Status, unanswered.Frames = proto.Unanswered, [4]uint64{4, 4, 0, 0}
	failed := transaction()
	failed.Failed, failed.Code, failed.Error, failed.Doubt = true, "1146", "Table 'nope' doesn't exist", proto.Lossy
	for _, tc := range []struct {
		expression string
		of         *rt.Transaction
		want       bool
		undecided  uint64
	}{
		{`rt > duration("10ms")`, transaction(), true, 0},
		{`rt > duration("20ms")`, transaction(), false, 0},
		{`rt_ms == 12.0 && server_ms < 3.0 && total_ms >= 12.0`, transaction(), true, 0},
		{`rt_ms > 11 && 13 >= rt_ms && server_ms < 3`, transaction(), true, 0},
		{`retransmit > server && upload == duration("0s")`, transaction(), true, 0},
		{`proto == "mysql" && server_port == 3306 && client == "10.0.0.1"`, transaction(), true, 0},
		{`server_addr == server_host && client_port == 40000`, transaction(), true, 0},
		{`fingerprint.contains("FROM t") && fingerprint.matches("(?i)^SELECT")`, transaction(), true, 0},
		{`command in ["Execute", "Query"]`, transaction(), true, 0},
		{`request_bytes + response_bytes == 430 && connection == 3`, transaction(), true, 0},
		{`status == "answered" && !failed && code == "" && doubt == ""`, transaction(), true, 0},
		{`failed && code == "1146" && error.contains("nope") && doubt == "lossy"`, failed, true, 0},
		// What is not known is neither small nor large.
		{`rt > duration("0s")`, unanswered, false, 1},
		{`rt <= duration("0s")`, unanswered, false, 1},
		{`!(rt > duration("0s"))`, unanswered, false, 1},
		{`idle >= duration("0s")`, transaction(), false, 1},
		{`rows > 10`, transaction(), false, 1},
		{`rt > duration("10ms") || status == "unanswered"`, unanswered, true, 0},
		{`status == "unanswered" || rt > duration("10ms")`, unanswered, true, 0},
	} {
		f, err := Compile(tc.expression)
		if err != nil {
			t.Errorf("%s: %v", tc.expression, err)
			continue
		}
		if got := f.Matcher()(tc.of); got != tc.want || f.Undecided() != tc.undecided {
			t.Errorf("%s: %v, %d undecided; want %v, %d", tc.expression, got, f.Undecided(), tc.want, tc.undecided)
		}
	}
}

func TestErrors(t *testing.T) {
	for expression, want := range map[string][]string{
		`fingerprnt == "x"`:           {"column 1", `there is no "fingerprnt"`, `did you mean "fingerprint"`, "variables: rt, upload"},
		`rt > 10`:                     {"column 4", "no matching overload", `(a time is written as duration("10ms"))`},
		`rt_ms == 12`:                 {"column 7", "write 1.0 for 1"},
		`rt > duration("10 bananas")`: {"duration"},
		`rt >`:                        {"column", "variables:"},
		`rt`:                          {"not true or false"},
		``:                            {"variables:"},
		strings.Repeat("(", 20000):    {"longest"},
	} {
		_, err := Compile(expression)
		if err == nil {
			t.Errorf("%.40s: compiled", expression)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.40s: %v; want %q", expression, err, w)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40s: several lines: %v", expression, err)
		}
	}
}

// Every variable has a value of the type it is declared with.
func TestVariables(t *testing.T) {
	full := transaction()
	full.Idle, full.Rows = 0, 0
	for _, v := range variables {
		f, err := Compile("type(" + v.name + ") == type(" + v.name + ") && [" + v.name + "].size() == 1")
		if err != nil {
			t.Fatal(err)
		}
		if !f.Matcher()(full) {
			t.Errorf("%s has no value", v.name)
		}
		if got := v.value(full).Type().TypeName(); got != v.kind.TypeName() {
			t.Errorf("%s is a %s, declared as %s", v.name, got, v.kind.TypeName())
		}
		if !strings.Contains(Help(), "  "+v.name+" ") {
			t.Errorf("%s is not in the help", v.name)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, expression := range []string{`rt > duration("10ms")`, `rt_ms > 10.0`, `proto == "mysql" && rt > duration("10ms") && fingerprint.contains("FROM t")`} {
		b.Run(expression, func(b *testing.B) {
			f, err := Compile(expression)
			if err != nil {
				b.Fatal(err)
			}
			match, t := f.Matcher(), transaction()
			b.ReportAllocs()
			for b.Loop() {
				match(t)
			}
		})
	}
}
