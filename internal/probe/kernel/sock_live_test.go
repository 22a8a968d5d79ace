package kernel

import (
	"net"
	"os"
	"runtime"
	"testing"
)

// TestSocketFilesLive looks for a socket of its own.
func TestSocketFilesLive(t *testing.T) {
	if err := Check(); err != nil {
		t.Skipf("no BPF here: %v", err)
	}
	loader := &Loader{}
	defer loader.Done()
	files, err := OpenSocketFiles(loader)
	if err != nil {
		t.Skipf("the program does not load here: %v", err)
	}
	defer files.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("cannot listen: %v", err)
	}
	defer l.Close()
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var fd int32
	if err := raw.Control(func(n uintptr) { fd = int32(n) }); err != nil {
		t.Fatal(err)
	}
	var last SocketFile
	found := uint64(0)
	err = files.Each(func(f SocketFile) {
		if f.PID < last.PID || f.PID == last.PID && f.FD <= last.FD {
			t.Errorf("%+v comes after %+v", f, last)
		}
		last = f
		if f.PID == int32(os.Getpid()) && f.FD == fd {
			found = f.Inode
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Errorf("descriptor %d of the test itself is not among the sockets", fd)
	}
}

// TestSocketsLive looks for a listener and for both ends of a connection.
func TestSocketsLive(t *testing.T) {
	if err := Check(); err != nil {
		t.Skipf("no BPF here: %v", err)
	}
	loader := &Loader{}
	defer loader.Done()
	sockets, err := OpenSockets(loader)
	if err != nil {
		t.Skipf("the program does not load here: %v", err)
	}
	defer sockets.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("cannot listen: %v", err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	port := l.Addr().(*net.TCPAddr).Port
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	table, err := sockets.Table()
	if err != nil {
		t.Skipf("sockets of this kernel cannot be read: %v", err)
	}
	var listeners, clients, servers int
	count := func(rows []SocketRow, clock SocketClock) bool {
		for _, r := range rows {
			remote := int(r.RemotePort[0])<<8 | int(r.RemotePort[1])
			switch {
			case int(r.LocalPort) == port && r.State == 10:
				listeners++
			case int(r.LocalPort) == port && r.State == 1:
				servers++
			case remote == port && r.State == 1:
				clients++
				if r.Inode == 0 || r.Full == 0 || r.Cwnd == 0 || clock.Since(r.LastSend) > 10e9 {
					t.Errorf("client side %+v", r)
				}
			}
		}
		return true
	}
	if _, err := sockets.Connections(table, count); err != nil {
		t.Fatal(err)
	}
	if _, err := sockets.Listeners(table, count); err != nil {
		t.Fatal(err)
	}
	if listeners != 1 || clients != 1 || servers != 1 {
		t.Errorf("%d listeners, %d clients, %d servers, want one of each", listeners, clients, servers)
	}
}

func BenchmarkSocketFiles(b *testing.B) {
	if err := Check(); err != nil {
		b.Skipf("no BPF here: %v", err)
	}
	files, err := OpenSocketFiles(&Loader{})
	if err != nil {
		b.Skipf("the program does not load here: %v", err)
	}
	defer files.Close()
	rows := 0
	for b.Loop() {
		rows = 0
		if err := files.Each(func(SocketFile) { rows++ }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows), "rows")
}
