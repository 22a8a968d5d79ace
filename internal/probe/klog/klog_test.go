package klog

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

func TestParseRecord(t *testing.T) {
	tests := []struct {
		name, in string
		want     record
		wantErr  bool
	}{
		{name: "plain", in: "4,1821,1234567890,-;TCP: request_sock_TCP: Possible SYN flooding on port 0.0.0.0:80. Sending cookies.\n",
			want: record{sequence: 1821, since: 1234567890 * time.Microsecond, text: "TCP: request_sock_TCP: Possible SYN flooding on port 0.0.0.0:80. Sending cookies."}},
		{name: "caller and dictionary", in: "6,339,5140900,-,caller=T1;usb 1-1: new device\n SUBSYSTEM=usb\n DEVICE=c189:1\n",
			want: record{sequence: 339, since: 5140900 * time.Microsecond, text: "usb 1-1: new device"}},
		{name: "written by a program", in: "30,12,99,-;systemd[1]: Starting\n",
			want: record{sequence: 12, facility: 3, since: 99 * time.Microsecond, text: "systemd[1]: Starting"}},
		{name: "escapes", in: `3,1,0,-;a\x0ab\x5cc\x09d \x4 \xzz` + "\n", want: record{sequence: 1, text: "a\nb\\c\td \\x4 \\xzz"}},
		{name: "fragment", in: "6,2,5,+; and more\n", want: record{sequence: 2, since: 5 * time.Microsecond, fragment: true, text: " and more"}},
		{name: "no flag, as first kernels", in: "6,2,5;text\n", want: record{sequence: 2, since: 5 * time.Microsecond, text: "text"}},
		{name: "semicolon in the text", in: "6,2,5,-;a;b\n", want: record{sequence: 2, since: 5 * time.Microsecond, text: "a;b"}},
		{name: "not UTF-8", in: `6,2,5,-;a\xffb` + "\n", want: record{sequence: 2, since: 5 * time.Microsecond, text: "a?b"}},
		{name: "no head", in: "hello\n", wantErr: true},
		{name: "empty", wantErr: true},
		{name: "sequence missing", in: "6;text\n", wantErr: true},
		{name: "not a number", in: "6,x,5,-;text\n", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseRecord([]byte(tt.in))
			if (err != nil) != tt.wantErr {
				t.Fatalf("error %v, want one: %v", err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(record{})); err == nil && diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

// fake plays records and errors in order, then says that there is no more.
type fake struct{ script []any }

func (f *fake) Close() error { return nil }

func (f *fake) Read(b []byte) (int, error) {
	if len(f.script) == 0 {
		return 0, unix.EAGAIN
	}
	next := f.script[0]
	f.script = f.script[1:]
	if err, ok := next.(error); ok {
		return 0, err
	}
	return copy(b, next.(string)), nil
}

type line struct {
	Sequence uint64
	Ago      time.Duration // before the sample
	Text     string
}

// sample runs one sample at a machine age and returns its lines.
func sample(t *testing.T, p *Probe, up time.Duration) ([]line, int64) {
	t.Helper()
	boot := time.Unix(1700000000, 0)
	now := boot.Add(up)
	p.clocks = func() (time.Time, time.Duration) { return now, up }
	w := recording.NewWriter(now)
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	lost := w.LostRows()
	r := recording.New(recording.Manifest{})
	if err := r.Commit(w); err != nil {
		t.Fatal(err)
	}
	var lines []line
	for _, l := range recording.Rows[recording.KernelLogLine](r) {
		lines = append(lines, line{l.Sequence, now.Sub(l.Logged), l.Text})
	}
	return lines, lost
}

func at(sequence int, up time.Duration, text string) string {
	return fmt.Sprintf("4,%d,%d,-;%s\n", sequence, up.Microseconds(), text)
}

func TestSample(t *testing.T) {
	const hour = time.Hour
	f := &fake{}
	p := &Probe{open: func() (source, error) { return f, nil }}

	f.script = []any{
		at(10, hour-10*time.Minute, "too old"),
		at(11, hour-time.Minute, "a minute ago"),
		"30,12,3599000000,-;systemd[1]: Out of memory, says a program\n",
		unix.EINTR,
		at(13, hour+time.Second, "the scheduler's clock is ahead"),
	}
	lines, lost := sample(t, p, hour)
	want := []line{{11, time.Minute, "a minute ago"}, {13, time.Nanosecond, "the scheduler's clock is ahead"}}
	if diff := cmp.Diff(want, lines); diff != "" || lost != 0 {
		t.Errorf("first sample lost %d, lines (-want +got):\n%s", lost, diff)
	}

	f.script = []any{
		at(14, hour+300*time.Millisecond, "new"),
		at(15, hour-time.Minute, "the scheduler's clock is behind"),
		unix.EPIPE,
		at(20, hour+600*time.Millisecond, "begin"),
		"4,21,3600700000,+; end\n",
		"garbage",
	}
	lines, lost = sample(t, p, hour+time.Second)
	want = []line{
		{14, 700 * time.Millisecond, "new"}, {15, time.Second, "the scheduler's clock is behind"},
		{21, 400 * time.Millisecond, "begin end"},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("second sample (-want +got):\n%s", diff)
	}
	if lost != 4+1 { // 16 to 19 overwritten, one not readable
		t.Errorf("lost %d", lost)
	}

	if lines, lost = sample(t, p, hour+2*time.Second); len(lines) != 0 || lost != 0 {
		t.Errorf("nothing new, but %v, lost %d", lines, lost)
	}
}

func TestFlood(t *testing.T) {
	for _, first := range []bool{true, false} {
		f := &fake{}
		p := &Probe{open: func() (source, error) { return f, nil }}
		if !first {
			sample(t, p, time.Hour)
		}
		for i := range maxLines + 5 {
			f.script = append(f.script, at(i+1, time.Hour-time.Second, "line"))
		}
		lines, lost := sample(t, p, time.Hour)
		if len(lines) != maxLines || lost != 5 {
			t.Fatalf("first %v: %d lines, lost %d", first, len(lines), lost)
		}
		if wantFirst := map[bool]uint64{true: 6, false: 1}[first]; lines[0].Sequence != wantFirst {
			t.Errorf("first %v: begins with %d, want %d", first, lines[0].Sequence, wantFirst)
		}
	}
}

func TestErrors(t *testing.T) {
	f := &fake{script: []any{unix.EIO, at(7, time.Hour, "after it was reopened")}}
	opened := 0
	p := &Probe{open: func() (source, error) { opened++; return f, nil }, clocks: clocks}
	if err := p.Sample(t.Context(), recording.NewWriter(time.Now())); !errors.Is(err, unix.EIO) {
		t.Errorf("error %v, want EIO", err)
	}
	if lines, _ := sample(t, p, time.Hour); len(lines) != 1 || opened != 2 {
		t.Errorf("opened %d times, lines %v", opened, lines)
	}
	for _, err := range []error{unix.EPERM, unix.ENOENT} {
		got := missing(&os.PathError{Op: "open", Path: devicePath, Err: err})
		if probe.Remedy(got) == "" || !errors.Is(got, err) {
			t.Errorf("%v has no remedy: %v", err, got)
		}
	}
}

func TestLive(t *testing.T) {
	p := New()
	if err := p.Start(); err != nil {
		if probe.Remedy(err) == "" {
			t.Errorf("no remedy for %v", err)
		}
		t.Skipf("cannot read the kernel log: %v", err)
	}
	w := recording.NewWriter(time.Now())
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if p.next == 0 {
		t.Error("no record in the kernel log")
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte("6,339,5140900,-,caller=T1;NET: \\x0a family\n SUBSYSTEM=acpi\n"))
	f.Add([]byte("4,1,0,+;x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRecord(b)
		if err != nil {
			return
		}
		if r.since < 0 || len(r.text) > 3*maxText || strings.ContainsRune(string(b[:1]), ';') {
			t.Errorf("%q gave %+v", b, r)
		}
	})
}

func BenchmarkSample(b *testing.B) {
	p := New()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	p.Sample(b.Context(), recording.NewWriter(time.Now()))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Sample(b.Context(), recording.NewWriter(time.Now())); err != nil {
			b.Fatal(err)
		}
	}
}

// No line has a secret: be it of a command line in a record of audit, or in two
// parts of one line.
func TestNoSecretsInLines(t *testing.T) {
	f := &fake{script: []any{
		at(1, time.Hour, `Kernel command line: root=/dev/vda1 luks.password=h0rse quiet`),
		at(2, time.Hour, `audit: type=1309 audit(1700000000.1:5): argc=3 a0="mysql" a1="-ph0rse" a2="db"`),
		at(3, time.Hour, `audit: type=1327 audit(1700000000.1:5): proctitle=6D7973716C002D70683072736500`),
		at(4, time.Hour, `audit: type=1123 audit(1700000000.1:5): pid=7 uid=0 cwd="/" cmd=6D7973716C202D706830727365 terminal=pts/0`),
		at(5, time.Hour, `audit: type=1400 audit(1700000000.1:5): apparmor="DENIED" operation="open" name="/etc/x" comm="app"`),
		at(6, time.Hour, "mount: password=h0"),
		"4,7,3600000000,+;rse done\n",
		at(8, time.Hour, "CIFS: mounting https://joe:h0rse@nas/x"),
	}}
	lines, _ := sample(t, &Probe{open: func() (source, error) { return f, nil }}, time.Hour)
	if len(lines) != 7 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	for _, l := range lines {
		for _, secret := range []string{"h0", "rse ", "683072"} {
			if strings.Contains(l.Text, secret) {
				t.Errorf("%q", l.Text)
			}
		}
	}
	if !strings.Contains(lines[4].Text, `name="/etc/x"`) || lines[6].Text != "CIFS: mounting https://joe:***@nas/x" {
		t.Errorf("too much is hidden: %v", lines)
	}
}

// Parts of one line do not make it grow without end.
func TestPartsAreBounded(t *testing.T) {
	f := &fake{script: []any{at(1, time.Hour, "begin")}}
	for i := range 5000 {
		f.script = append(f.script, fmt.Sprintf("4,%d,3600000000,+;%s\n", i+2, strings.Repeat("x", 500)))
	}
	lines, _ := sample(t, &Probe{open: func() (source, error) { return f, nil }}, time.Hour)
	for _, l := range lines {
		if len(l.Text) > 2*maxText {
			t.Fatalf("a line of %d bytes", len(l.Text))
		}
	}
}
