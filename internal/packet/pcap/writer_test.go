package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/pcapgo"
)

func TestWriter(t *testing.T) {
	interfaces := []Interface{{Name: "eth0", Link: LinkEthernet, SnapLength: 96}, {Link: LinkRaw}, {Name: "lo", Link: LinkEthernet}}
	packets := []Packet{
		{Time: 1700000000_123456789, Frame: 1, Data: []byte("abc"), Wire: 1500, Interface: 2, Link: LinkEthernet, Way: Inbound},
		{Time: 1700000000_123456788, Frame: 2, Data: []byte("abcd"), Wire: 4, Interface: 0, Link: LinkEthernet},
		{Time: 1, Frame: 3, Data: []byte("abcde"), Wire: 5, Interface: 0, Link: LinkEthernet, Way: Outbound},
		{Time: 0, Frame: 4, Data: nil, Wire: 9, Interface: 2, Link: LinkEthernet},
		{Time: 2, Frame: 5, Data: []byte("r"), Wire: 1, Interface: 1, Link: LinkRaw},
	}
	for name, tc := range map[string]struct {
		format Format
		n      int
		err    error
	}{
		"pcapng": {PCAPNG, 5, nil},
		"pcap":   {PCAP, 4, ErrMixedLinks},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, tc.format, func() []Interface { return interfaces })
			for i := range packets {
				if err := w.Write(&packets[i]); i < tc.n && err != nil || i >= tc.n && !errors.Is(err, tc.err) {
					t.Fatal(i, err)
				}
			}
			if err := w.Close(Loss{Received: 10, Dropped: 3, Known: true}); err != nil {
				t.Fatal(err)
			}
			src, err := Open(context.Background(), []string{"-"}, &out)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			all := readAll(t, src)
			if len(all) != tc.n {
				t.Fatal(all, notes(src))
			}
			for i, p := range all {
				want := packets[i]
				if tc.format == PCAP {
					want.Way = WayUnknown
				} else if n := src.Interfaces()[p.Interface].Name; n != interfaces[want.Interface].Name {
					t.Errorf("packet %d: interface %q", i, n)
				}
				if d := cmp.Diff(got{want.Time, want.Frame, string(want.Data), want.Wire, p.Interface, want.Link, want.Way}, p); d != "" {
					t.Error(d)
				}
			}
			if tc.format == PCAPNG && src.Loss() != (Loss{10, 3, true}) {
				t.Error(src.Loss())
			}
		})
	}
}

// What is written is what an independent reader understands.
func TestWriterAgainstGopacket(t *testing.T) {
	packets := []Packet{
		{Time: 1700000000_123456789, Data: []byte("abc"), Wire: 1500, Link: LinkEthernet, Way: Inbound},
		{Time: 1700000001_000000001, Data: []byte("abcdefgh"), Wire: 8, Link: LinkEthernet},
	}
	for _, format := range []Format{PCAP, PCAPNG} {
		var out bytes.Buffer
		w := NewWriter(&out, format, nil)
		for i := range packets {
			if err := w.Write(&packets[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(Loss{Known: true, Dropped: 1}); err != nil {
			t.Fatal(err)
		}
		var next func() (int64, int, []byte, error)
		if format == PCAP {
			r, err := pcapgo.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			next = func() (int64, int, []byte, error) {
				d, ci, err := r.ReadPacketData()
				return ci.Timestamp.UnixNano(), ci.Length, d, err
			}
		} else {
			r, err := pcapgo.NewNgReader(&out, pcapgo.DefaultNgReaderOptions)
			if err != nil {
				t.Fatal(err)
			}
			next = func() (int64, int, []byte, error) {
				d, ci, err := r.ReadPacketData()
				return ci.Timestamp.UnixNano(), ci.Length, d, err
			}
		}
		for i, p := range packets {
			at, length, data, err := next()
			if err != nil || at != p.Time || length != int(p.Wire) || string(data) != string(p.Data) {
				t.Errorf("format %d, packet %d: %d, %d, %q, %v", format, i, at, length, data, err)
			}
		}
		if _, _, _, err := next(); err != io.EOF {
			t.Errorf("format %d: %v", format, err)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.pcap": PCAP, "a.PCAP": PCAP, "a.cap": PCAP, "a.pcapng": PCAPNG, "a": PCAPNG} {
		if got := FormatOf(path); got != want {
			t.Errorf("%s: %d", path, got)
		}
	}
}

// An empty capture is still a capture.
func TestWriterEmpty(t *testing.T) {
	for _, format := range []Format{PCAP, PCAPNG} {
		var out bytes.Buffer
		if err := NewWriter(&out, format, nil).Close(Loss{}); err != nil {
			t.Fatal(err)
		}
		if format == PCAP && binary.LittleEndian.Uint32(out.Bytes()[20:]) != 1 {
			t.Error("link type is not Ethernet")
		}
		src, err := Open(context.Background(), []string{"-"}, &out)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(readAll(t, src)); n != 0 {
			t.Error(n)
		}
		_ = src.Close()
	}
}
