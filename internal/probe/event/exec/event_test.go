package exec

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// bytesOf is an event as bpf/exec.c writes it.
func bytesOf(kind, code uint32, args string, whole int) []byte {
	b := binary.NativeEndian.AppendUint64(nil, 5_000_000_000)
	b = binary.NativeEndian.AppendUint64(b, 4_000_000_000)
	b = binary.NativeEndian.AppendUint64(b, 7_000_000)
	for _, n := range []uint32{kind, 812, 1, code} {
		b = binary.NativeEndian.AppendUint32(b, n)
	}
	b = append(b, "sh\x00rest of a name"[:16]...)
	if kind != began {
		return b
	}
	b = binary.NativeEndian.AppendUint32(b, uint32(len(args)))
	b = binary.NativeEndian.AppendUint32(b, uint32(whole))
	return append(b, append([]byte(args), make([]byte, maxArgs-len(args))...)...)
}

func TestRows(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	const unknown = recording.Unknown
	for name, tc := range map[string]struct {
		events [][]byte
		want   []recording.ProcessEvent // but for what all have
	}{
		"fork": {[][]byte{bytesOf(forked, 0, "", 0)}, []recording.ProcessEvent{
			{Kind: "fork", Lifetime: unknown, CPUTime: unknown, Status: unknown}}},
		"a life": {[][]byte{bytesOf(began, 0, "sh\x00-c\x00exit 7\x00", 13), bytesOf(exited, 7<<8, "", 0)}, []recording.ProcessEvent{
			{Kind: "exec", Cmdline: "sh -c exit 7", Lifetime: unknown, CPUTime: unknown, Status: unknown},
			{Kind: "exit", Cmdline: "sh -c exit 7", Lifetime: 1500 * time.Millisecond, CPUTime: 7 * time.Millisecond, Status: 7}}},
		"killed": {[][]byte{bytesOf(exited, 9, "", 0)}, []recording.ProcessEvent{
			{Kind: "exit", Lifetime: 1500 * time.Millisecond, CPUTime: 7 * time.Millisecond, Status: unknown, Signal: 9}}},
		"core dumped": {[][]byte{bytesOf(exited, 11|0x80, "", 0)}, []recording.ProcessEvent{
			{Kind: "exit", Lifetime: 1500 * time.Millisecond, CPUTime: 7 * time.Millisecond, Status: unknown, Signal: 11}}},
		"cut": {[][]byte{bytesOf(began, 0, "sh\x00one\x00tw", 400)}, []recording.ProcessEvent{
			{Kind: "exec", Cmdline: "sh one", Lifetime: unknown, CPUTime: unknown, Status: unknown}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New()
			s.clock = event.Clock{Monotonic: at, Boot: at.Add(-500 * time.Millisecond), Asleep: 500 * time.Millisecond}
			for _, b := range tc.events {
				s.take(b)
			}
			got, more := s.events.Take()
			if s.wrong != nil || more != 0 {
				t.Fatal(s.wrong, more)
			}
			for i := range tc.want {
				w := &tc.want[i]
				w.At, w.Started, w.PID, w.PPID, w.Comm = at.Add(5*time.Second), at.Add(3500*time.Millisecond), 812, 1, "sh"
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// More events than there is room for are counted.
func TestStorm(t *testing.T) {
	s := New()
	const storm = maxEvents + 500
	for range storm {
		s.take(bytesOf(forked, 0, "", 0))
	}
	if got, more := s.events.Take(); len(got) != maxEvents || more != 500 {
		t.Errorf("%d events kept, %d counted", len(got), more)
	}
	if s.take(bytesOf(forked, 0, "", 0)); len(s.known) != 0 {
		t.Errorf("%d processes known", len(s.known))
	}
	for pid := range int32(2 * maxKnown) {
		s.row(&happening{kind: began, pid: pid, args: []byte(strings.Repeat("x", int(pid%300)))})
	}
	if len(s.known) > maxKnown || len(s.lines) > maxLines {
		t.Errorf("%d processes and %d lines known", len(s.known), len(s.lines))
	}
}

func TestNoSecretsInArguments(t *testing.T) {
	for _, args := range []string{"mysql\x00--password=hunter2\x00", "mysql\x00-phunter2\x00", "curl\x00-H\x00Authorization: Bearer hunter2\x00",
		"sh\x00" + strings.Repeat("x", 400) + "\x00--password=hunter2"} {
		s := New()
		s.take(bytesOf(began, 0, args, len(args)+100))
		s.take(bytesOf(exited, 0, "", 0))
		list, _ := s.events.Take()
		for _, row := range list {
			if strings.Contains(row.Cmdline, "hunter2") || row.Cmdline == "" {
				t.Errorf("%q became %q", args, row.Cmdline)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(bytesOf(forked, 0, "", 0))
	f.Add(bytesOf(began, 0, "sh\x00-c\x00true\x00", 11))
	f.Add(bytesOf(exited, 139, "", 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parse(b)
		if err == nil && (e.at < 0 || len(e.args) > maxArgs || len(e.comm) > 16) {
			t.Errorf("%+v", e)
		}
	})
}
