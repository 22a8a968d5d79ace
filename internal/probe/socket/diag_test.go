package socket

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// littleEndian skips tests of recorded messages where numbers lie the other
// way round.
func littleEndian(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skipf("recorded on a little endian machine, this is %s", runtime.GOARCH)
	}
}

func TestRecordedConnections(t *testing.T) {
	littleEndian(t)
	r, at := newReader(), time.Unix(1.8e9, 0).UTC()
	got := map[uint16]recording.TCPSample{}
	states := map[recording.TCPState]int{}
	for _, m := range messages(t, "tcp") {
		row := recording.TCPSample{At: at}
		if !r.tcp(m, &row) {
			t.Fatalf("cannot read message of %d bytes", len(m))
		}
		states[row.State]++
		got[row.LocalPort] = row
		if row.LocalPort == 8002 {
			got[row.RemotePort+10000] = row
		}
	}
	wantStates := map[recording.TCPState]int{recording.TCPEstablished: 6, recording.TCPTimeWait: 1, recording.TCPSynSent: 2}
	if diff := cmp.Diff(wantStates, states); diff != "" {
		t.Errorf("states (-want +got)\n%s", diff)
	}
	const us = time.Microsecond
	client := recording.TCPSample{
		Local: "127.0.0.1", LocalPort: 40001, Remote: "127.0.0.1", RemotePort: 8001, State: recording.TCPEstablished, Inode: 354898,
		RTT: 36 * us, RTTVar: 20 * us, MinRTT: 10 * us, RTO: 204 * time.Millisecond, Cwnd: 11, MSS: 35328,
		SegsOut: 3, DataSegsOut: 1, BytesAcked: 1001, BytesSent: 1000, PeerWindow: 70656,
		RcvBuf: 131072, Info: true,
	}
	server := recording.TCPSample{
		Local: "127.0.0.1", LocalPort: 8001, Remote: "127.0.0.1", RemotePort: 40001, State: recording.TCPEstablished, Inode: 354899,
		RecvQueue: 1000, RTT: 23 * us, RTTVar: 11 * us, MinRTT: 23 * us, RTO: 204 * time.Millisecond, Cwnd: 10, MSS: 32768,
		SegsOut: 1, DataSegsIn: 1, BytesReceived: 1000, PeerWindow: 65536,
		RmemAlloc: 1832, RcvBuf: 131072, Info: true,
	}
	lonely := recording.TCPSample{
		Local: "127.0.0.1", LocalPort: 40040, Remote: "192.0.2.1", RemotePort: 80, State: recording.TCPSynSent, Inode: 354908,
		SendQueue: 1, RTTVar: 250 * time.Millisecond, RTO: time.Second, Cwnd: 1, MSS: 524, Unacked: 1, Retransmits: 1, TotalRetrans: 1,
		SegsOut: 2, RcvBuf: 131072, Info: true,
	}
	timeWait := recording.TCPSample{
		Local: "127.0.0.1", LocalPort: 40030, Remote: "127.0.0.1", RemotePort: 8001, State: recording.TCPTimeWait,
	}
	// These run on with the clock and were not the same when ss looked.
	clock := cmpopts.IgnoreFields(recording.TCPSample{}, "At", "LastSend", "LastReceive", "Busy", "Backoff", "RTO", "TotalRetrans", "Retransmits", "SegsOut")
	for _, want := range []recording.TCPSample{client, server, lonely, timeWait} {
		if diff := cmp.Diff(want, got[want.LocalPort], clock); diff != "" {
			t.Errorf("port %d (-want +got)\n%s", want.LocalPort, diff)
		}
	}
	if s := got[40001]; s.SegsOut != 3 || s.RTO != 204*time.Millisecond || at.Sub(s.LastSend) < time.Second || at.Sub(s.LastSend) > 3*time.Second {
		t.Errorf("client: %d segments out, RTO %v, sent %v ago", s.SegsOut, s.RTO, at.Sub(s.LastSend))
	}
	if s := got[40040]; s.TotalRetrans == 0 || s.Retransmits == 0 {
		t.Errorf("connection to nobody: %d retransmissions, %d in a row, want some", s.TotalRetrans, s.Retransmits)
	}
	// A connection over IPv4 to a socket of IPv6 has IPv4 addresses.
	if s := got[50010]; s.Local != "127.0.0.1" || s.Remote != "127.0.0.1" || s.Inode != 0 {
		t.Errorf("connection waiting for accept: %+v", s)
	}
}

func TestRecordedListeners(t *testing.T) {
	littleEndian(t)
	r := newReader()
	var got []recording.ListenerSample
	for _, m := range messages(t, "listen") {
		var row recording.TCPSample
		if !r.tcp(m, &row) {
			t.Fatalf("cannot read message of %d bytes", len(m))
		}
		got = append(got, listener(&row))
	}
	want := []recording.ListenerSample{
		{Local: "127.0.0.1", Port: 8001, Inode: 354897, Backlog: 7},
		{Local: "::", Port: 8002, Inode: 354900, Queue: 2, Backlog: 1, Drops: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecordedDatagrams(t *testing.T) {
	littleEndian(t)
	r := newReader()
	got := map[uint16]recording.UDPSample{}
	for _, m := range messages(t, "udp") {
		var row recording.UDPSample
		if !r.udp(m, &row) {
			t.Fatalf("cannot read message of %d bytes", len(m))
		}
		row.Inode = 0
		got[row.LocalPort] = row
	}
	want := map[uint16]recording.UDPSample{
		9001: {Local: "127.0.0.1", LocalPort: 9001, Remote: "0.0.0.0", RecvQueue: 4160, RcvBuf: 4608, Drops: 15},
		9002: {Local: "127.0.0.1", LocalPort: 9002, Remote: "127.0.0.1", RemotePort: 9001, RcvBuf: 212992},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestShortTCPInfo: older kernels send less. What is not there is 0, what is
// there stays right.
func TestShortTCPInfo(t *testing.T) {
	littleEndian(t)
	var full recording.TCPSample
	for _, m := range messages(t, "tcp") {
		var row recording.TCPSample
		newReader().tcp(m, &row)
		if row.LocalPort != 40001 {
			continue
		}
		full = row
		var info []byte
		eachAttribute(m[diagSize:], func(kind uint16, data []byte) {
			if kind == attrInfo {
				info = data
			}
		})
		var short recording.TCPSample
		const linux26 = 104 // bytes, as in kernel 2.6
		parseTCPInfo(info[:linux26], &short)
		if short.RTT != full.RTT || short.Cwnd != full.Cwnd {
			t.Errorf("RTT %v, window %d, want %v and %d", short.RTT, short.Cwnd, full.RTT, full.Cwnd)
		}
		if short.BytesSent != 0 || short.PeerWindow != 0 || short.MinRTT != 0 {
			t.Errorf("numbers that were not sent: %+v", short)
		}
	}
	if full.RTT == 0 {
		t.Error("no connection from port 40001 in the recording")
	}
}

func TestMessages(t *testing.T) {
	message := func(kind uint16, sequence uint32, payload ...byte) []byte {
		b := binary.NativeEndian.AppendUint32(nil, uint32(netlinkHeader+len(payload)))
		b = binary.NativeEndian.AppendUint16(b, kind)
		b = append(b, 0, 0)
		b = binary.NativeEndian.AppendUint32(b, sequence)
		b = append(b, 0, 0, 0, 0)
		return append(b, payload...)
	}
	refused := -int32(unix.EPERM)
	join := func(list ...[]byte) (all []byte) {
		for _, b := range list {
			all = append(all, b...)
		}
		return all
	}
	tests := []struct {
		name    string
		in      []byte
		visited int
		done    bool
		fails   error
	}{
		{"two sockets, more to come", join(message(sockDiagByFamily, 7, 1, 2, 3, 4), message(sockDiagByFamily, 7, 1, 2, 3, 4)), 2, false, nil},
		{"the end", join(message(sockDiagByFamily, 7, 1, 2, 3, 4), message(unix.NLMSG_DONE, 7)), 1, true, nil},
		{"left over from an older dump", join(message(sockDiagByFamily, 6, 1, 2, 3, 4), message(unix.NLMSG_DONE, 6)), 0, false, nil},
		{"refused", message(unix.NLMSG_ERROR, 7, binary.NativeEndian.AppendUint32(nil, uint32(refused))...), 0, true, unix.EPERM},
		{"torn", message(sockDiagByFamily, 7, 1, 2, 3, 4)[:18], 0, true, errTorn},
		{"nothing", nil, 0, true, errTorn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			visited := 0
			done, err := eachMessage(test.in, 7, func([]byte) error { visited++; return nil })
			if visited != test.visited || done != test.done || !errors.Is(err, test.fails) {
				t.Errorf("%d visited, done %v, error %v; want %d, %v, %v", visited, done, err, test.visited, test.done, test.fails)
			}
		})
	}
}

func FuzzDiag(f *testing.F) {
	for _, file := range []string{"tcp", "listen", "udp"} {
		for _, m := range messages(f, file) {
			f.Add(m)
		}
	}
	r := newReader()
	f.Fuzz(func(t *testing.T, b []byte) {
		var row recording.TCPSample
		if r.tcp(b, &row) && (row.Busy < 0 || row.RTT < 0 || row.Local == "") {
			t.Errorf("implausible row %+v", row)
		}
		var u recording.UDPSample
		r.udp(b, &u)
	})
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte{20, 0, 0, 0, 20, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = eachMessage(b, 7, func(m []byte) error {
			if len(m) > len(b) {
				t.Error("a message longer than the answer")
			}
			return nil
		})
	})
}

func BenchmarkConnection(b *testing.B) {
	list := messages(b, "tcp")
	r := newReader()
	b.ReportAllocs()
	for b.Loop() {
		var row recording.TCPSample
		r.tcp(list[0], &row)
	}
}
