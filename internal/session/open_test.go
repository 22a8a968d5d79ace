package session

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/pcap"
)

// Privileges are given up before a file is opened, and once.
func TestPacketsConfine(t *testing.T) {
	capture, err := os.ReadFile("../packet/proto/dns/testdata/dnsmasq.pcap")
	if err != nil {
		t.Fatal(err)
	}
	file, confined := filepath.Join(t.TempDir(), "made.pcap"), 0
	p := Packets{Files: []string{file}, Confine: func() {
		confined++
		if err := os.WriteFile(file, capture, 0o600); err != nil {
			t.Error(err)
		}
	}}
	for range 2 {
		packets := 0
		err := p.Read(t.Context(), func(ctx context.Context, src pcap.Source) error {
			for {
				b, err := src.Next(ctx)
				if b == nil {
					return err
				}
				packets += len(b.Packets)
				if b.Release != nil {
					b.Release()
				}
			}
		})
		if !errors.Is(err, io.EOF) || packets == 0 || confined != 1 {
			t.Errorf("%d packets, confined %d times: %v", packets, confined, err)
		}
	}
}

// Privileges are given up when the socket is there, and Length ends the capture.
func TestPacketsOfInterface(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("capturing needs root")
	}
	for _, refused := range []Packets{{Interface: "no-such-if"}, {Interface: "lo", NetNS: "/no/such/namespace"}} {
		refused.Confine = func() { t.Errorf("%s %s: confined without a socket", refused.Interface, refused.NetNS) }
		if src, err := refused.Open(t.Context()); err == nil || src != nil {
			t.Errorf("%s %s: %v, %v", refused.Interface, refused.NetNS, src, err)
		}
	}
	sockets := func() (n int) {
		links, _ := filepath.Glob("/proc/self/fd/*")
		for _, l := range links {
			if to, _ := os.Readlink(l); strings.HasPrefix(to, "socket:") {
				n++
			}
		}
		return n
	}
	before, during := sockets(), 0
	p := Packets{Interface: "lo", NetNS: "/proc/self/ns/net", Length: 300 * time.Millisecond, Confine: func() { during = sockets() }}
	began := time.Now()
	if err := p.Read(t.Context(), func(ctx context.Context, _ pcap.Source) error {
		<-ctx.Done()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < p.Length || during <= before || sockets() != before {
		t.Errorf("took %v; %d sockets before, %d when confined, %d after", took, before, during, sockets())
	}
}
