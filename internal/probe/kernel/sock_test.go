package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/google/go-cmp/cmp"
)

// TestSocketLayout compares the rows that are read with those that the program
// writes, by the types in its object.
func TestSocketLayout(t *testing.T) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(sockObject))
	if err != nil {
		t.Fatal(err)
	}
	type member struct{ Offset, Size uintptr }
	layout := func(name string, fields []string) map[string]member {
		t.Helper()
		var s *btf.Struct
		if err := spec.Types.TypeByName(name, &s); err != nil {
			t.Fatalf("struct %s: %v", name, err)
		}
		all := map[string]btf.Member{}
		for _, m := range s.Members {
			all[m.Name] = m
		}
		m := map[string]member{}
		for _, f := range fields {
			found, ok := all[f]
			if !ok {
				t.Fatalf("struct %s has no %s", name, f)
			}
			size, err := btf.Sizeof(found.Type)
			if err != nil {
				t.Fatal(err)
			}
			m[f] = member{uintptr(found.Offset.Bytes()), uintptr(size)}
		}
		if name == "sock_row" && uintptr(s.Size) != unsafe.Sizeof(SocketRow{}) {
			t.Errorf("a row has %d bytes, the program writes %d", unsafe.Sizeof(SocketRow{}), s.Size)
		}
		return m
	}
	compare := func(name string, row reflect.Type, names map[string]string) {
		t.Helper()
		var fields []string
		got := map[string]member{}
		for goName, cName := range names {
			f, ok := row.FieldByName(goName)
			if !ok {
				t.Fatalf("no member %s", goName)
			}
			fields = append(fields, cName)
			got[cName] = member{f.Offset, f.Type.Size()}
		}
		if diff := cmp.Diff(layout(name, fields), got); diff != "" {
			t.Errorf("struct %s (-program +reader)\n%s", name, diff)
		}
	}
	compare("sock_row", reflect.TypeFor[SocketRow](), map[string]string{
		"Family": "family", "State": "state", "Retransmits": "retransmits", "Backoff": "backoff",
		"LocalPort": "local_port", "RemotePort": "remote_port", "Local": "local", "Remote": "remote",
		"NetNS": "netns", "Inode": "inode", "UID": "uid",
		"RecvQueue": "recv_queue", "SendQueue": "send_queue", "NotSent": "not_sent",
		"SRTT": "srtt", "MDev": "mdev", "MinRTT": "min_rtt", "RTO": "rto", "Cwnd": "cwnd", "MSS": "mss",
		"Unacked": "unacked", "Lost": "lost", "TotalRetrans": "total_retrans",
		"SegsOut": "segs_out", "SegsIn": "segs_in", "DataSegsOut": "data_segs_out", "DataSegsIn": "data_segs_in",
		"LastSend": "last_send", "LastReceive": "last_receive", "ChronoStart": "chrono_start", "Chrono": "chrono",
		"PeerWindow": "peer_window", "RmemAlloc": "rmem_alloc", "RcvBuf": "rcv_buf", "WmemQueued": "wmem_queued",
		"SndBuf": "snd_buf", "Drops": "drops", "ChronoType": "chrono_type", "Full": "full",
		"BytesAcked": "bytes_acked", "BytesReceived": "bytes_received", "BytesSent": "bytes_sent", "BytesRetrans": "bytes_retrans",
		"Congestion": "congestion",
	})
	compare("walk", reflect.TypeFor[socketWalk](), map[string]string{
		"what": "what", "bucket": "bucket", "hashinfo": "hashinfo", "buckets": "buckets", "rows": "rows", "lost": "lost",
		"torn": "torn", "jiffies": "jiffies", "ktime": "ktime", "row": "row",
	})
}

// TestFrequency finds the length of a jiffy from both clocks of the kernel.
func TestFrequency(t *testing.T) {
	jiffies := func(hz uint64, up time.Duration) uint64 {
		return 1<<32 - 300*hz + uint64(up.Seconds()*float64(hz))
	}
	tests := []struct {
		name    string
		jiffies uint64
		up      time.Duration
		want    uint64
	}{
		// Read on a machine with CONFIG_HZ=250.
		{"a real reading", 0x1002dc5d3, 0x0b2fa001aef0, 250},
		{"100 Hz, just booted", jiffies(100, 8*time.Second), 8 * time.Second, 100},
		{"250 Hz, a day", jiffies(250, 24*time.Hour), 24 * time.Hour, 250},
		{"300 Hz, 400 days", jiffies(300, 9600*time.Hour), 9600 * time.Hour, 300},
		{"1000 Hz", jiffies(1000, time.Hour), time.Hour, 1000},
		{"five minutes after booting", jiffies(250, 300*time.Second), 300 * time.Second, 0},
		{"of no kernel", jiffies(77, time.Hour), time.Hour, 0},
		{"nothing", 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := frequency(test.jiffies, test.up); got != test.want {
				t.Errorf("%d Hz, want %d", got, test.want)
			}
		})
	}
}

func TestSocketClock(t *testing.T) {
	c := SocketClock{hz: 250, now: 5<<32 + 10}
	if got := c.Since(1<<32 - 15); got != 100*time.Millisecond {
		t.Errorf("%v since 25 jiffies, want 100ms: the low bits went round", got)
	}
	if got := c.Span(math.MaxUint64); got < 0 {
		t.Errorf("a long time is %v", got)
	}
	busy, window, buffer := c.Busy(&SocketRow{Chrono: [3]uint32{100, 50, 25}, ChronoType: 2, ChronoStart: 5})
	want := [3]time.Duration{180 * 4 * time.Millisecond, 55 * 4 * time.Millisecond, 25 * 4 * time.Millisecond}
	if got := [3]time.Duration{busy, window, buffer}; got != want {
		t.Errorf("busy, window, buffer %v, want %v", got, want)
	}
}

func TestParseSocketFile(t *testing.T) {
	row := binary.NativeEndian.AppendUint32(nil, 4711)
	row = binary.NativeEndian.AppendUint32(row, 9)
	row = binary.NativeEndian.AppendUint64(row, 354897)
	got, err := parseSocketFile(row)
	if want := (SocketFile{PID: 4711, FD: 9, Inode: 354897}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := parseSocketFile(make([]byte, socketFileRow)); err == nil {
		t.Error("process 0 holds a descriptor")
	}
}

func FuzzSocketFile(f *testing.F) {
	f.Add([]byte{0x67, 0x12, 0, 0, 9, 0, 0, 0, 0x51, 0x6a, 5, 0, 0, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{0xff}, socketFileRow))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < socketFileRow {
			return
		}
		if file, err := parseSocketFile(b); err == nil && (file.PID <= 0 || file.FD < 0) {
			t.Errorf("%+v", file)
		}
	})
}

// TestSocketClockUnknown: a clock that is not known now may be later.
func TestSocketClockUnknown(t *testing.T) {
	var c SocketClock
	if c.read(1<<32, 300*time.Second) {
		t.Error("the length of a jiffy is known where all lengths agree")
	}
	if !c.read(1<<32+250*100, 400*time.Second) || c.hz != 250 {
		t.Errorf("%d Hz, want 250", c.hz)
	}
}
