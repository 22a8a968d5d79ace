package socket

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// TestLive opens a listener and a connection and looks for both.
func TestLive(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Start(); err != nil {
		t.Skipf("no sock_diag here: %v", err)
	}
	l, err := net.Listen("tcp", ownAddress+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()

	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Now())
	if err := p.Sample(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("RTRAIL_SHOW") != "" {
		for _, table := range rec.Tables() {
			t.Logf("%s: %d", table, rec.Count(table))
		}
		show(t, recording.Rows[recording.TCPSample](rec))
		show(t, recording.Rows[recording.ListenerSample](rec))
		show(t, recording.Rows[recording.UDPSample](rec))
		show(t, recording.Rows[recording.NetNSSample](rec))
		show(t, recording.Rows[recording.SocketOwner](rec))
		show(t, recording.Rows[recording.ConntrackSample](rec))
		show(t, recording.Rows[recording.NetDeviceSample](rec))
		show(t, recording.Rows[recording.SysctlSample](rec))
		show(t, recording.Rows[recording.FirewallRule](rec))
		show(t, recording.Rows[recording.UnseenNote](rec))
	}

	port := uint16(l.Addr().(*net.TCPAddr).Port)
	inodes := map[uint64]bool{}
	var listeners, clients, servers, datagrams int
	for _, r := range recording.Rows[recording.ListenerSample](rec) {
		if r.Local == ownAddress && r.Port == port && r.NetNS == p.own {
			listeners++
			inodes[r.Inode] = true
			if r.Queue != 1 || r.Backlog == 0 {
				t.Errorf("listener %+v, want queue 1", r)
			}
		}
	}
	for _, r := range recording.Rows[recording.TCPSample](rec) {
		if r.Remote == ownAddress && r.RemotePort == port && r.NetNS == p.own {
			clients++
			inodes[r.Inode] = true
			if r.State != recording.TCPEstablished || !r.Info || r.BytesSent != 5 || r.RTT <= 0 || r.RcvBuf == 0 {
				t.Errorf("client side %+v", r)
			}
		}
		if r.Local == ownAddress && r.LocalPort == port && r.NetNS == p.own {
			servers++
			if r.RecvQueue != 5 || r.BytesReceived != 5 {
				t.Errorf("server side %+v, want 5 bytes received and unread", r)
			}
		}
	}
	for _, r := range recording.Rows[recording.UDPSample](rec) {
		if r.LocalPort == uint16(u.LocalAddr().(*net.UDPAddr).Port) && r.Local == "::1" {
			datagrams++
		}
	}
	if listeners != 1 || clients != 1 || servers != 1 || datagrams != 1 {
		t.Errorf("%d listeners, %d clients, %d servers, %d UDP sockets, want one of each", listeners, clients, servers, datagrams)
	}
	for _, o := range recording.Rows[recording.SocketOwner](rec) {
		if o.PID == int32(os.Getpid()) {
			delete(inodes, o.Inode)
		}
	}
	if len(inodes) > 0 {
		t.Errorf("sockets %v have no owner", inodes)
	}
	found := false
	for _, r := range recording.Rows[recording.ProtocolSample](rec) {
		found = found || r.NetNS == p.own && r.Protocol == "Tcp" && r.Name == "ActiveOpens" && r.Value > 0
	}
	if !found {
		t.Error("no counter Tcp ActiveOpens of the own namespace")
	}
}

func show[T any](t *testing.T, rows []T) {
	for _, r := range rows[:min(len(rows), 12)] {
		t.Logf("%+v", r)
	}
}
