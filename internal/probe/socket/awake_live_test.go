package socket

import (
	"context"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// TestAwakeHolders: a descriptor that a process got after the last pass is found
// without another one, and those that were known are not told again.
func TestAwakeHolders(t *testing.T) {
	people := census.New("/")
	defer people.Close()
	p := New(people)
	defer p.Close()
	if err := p.Start(); err != nil {
		t.Skip(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := p.Sample(context.Background(), recording.NewWriter(time.Now())); err != nil {
		t.Fatal(err)
	}
	if p.files == nil {
		t.Skip("no BPF iterator over descriptors here: needs root and Linux 5.8")
	}
	again, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := people.Take(true); err != nil {
		t.Fatal(err)
	}
	p.all, p.owners = people.Refresh(p.all), nil
	for i := range p.all {
		p.holderOf(i)
	}
	p.passCost = time.Second // however many descriptors there are
	if !p.lookAtAwake(recording.NewWriter(time.Now())) {
		t.Skip("another process came or went, or may not be looked at")
	}
	own := slices.DeleteFunc(p.owners, func(o recording.SocketOwner) bool { return o.PID != int32(os.Getpid()) })
	found := slices.ContainsFunc(own, func(o recording.SocketOwner) bool { return o.FD == int32(again.Fd()) })
	if !found {
		t.Errorf("descriptor %d, a new one of a known socket, is not among %+v", again.Fd(), own)
	}
	for _, o := range own {
		if slices.ContainsFunc(p.holders, func(f kernel.SocketFile) bool { return f.PID == o.PID && f.FD == o.FD && f.Inode == o.Inode }) {
			t.Errorf("told again: %+v", o)
		}
	}
}
