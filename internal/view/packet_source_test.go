package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

func TestPairFlags(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name string
		rows []recording.PacketCapture
		want string
	}{
		{"one capture", []recording.PacketCapture{{Source: "a.pcap"}}, ""},
		{"one at the client", []recording.PacketCapture{{Source: "a.pcap", Point: "client"}}, ""},
		{"both sides", []recording.PacketCapture{{Source: "a.pcap", Point: "client"}, {Source: "my b.pcap", Point: "server"}},
			"--client-side a.pcap --server-side 'my b.pcap'"},
		{"two files of one side", []recording.PacketCapture{{Source: "a1.pcap, a2.pcap", Point: "client"}, {Source: "b.pcap", Point: "server"}},
			"--client-side a1.pcap --client-side a2.pcap --server-side b.pcap"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := recording.New(recording.Manifest{})
			w := recording.NewWriter(at)
			recording.Append(w, tc.rows...)
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			if got := New(rec, at, at.Add(time.Second)).PairFlags().String(); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestIPField(t *testing.T) {
	for address, want := range map[string]string{"10.0.0.1": "ip.src", "fd00::1": "ipv6.src", "": "ip.src"} {
		if got := IPField("src", address); got != want {
			t.Errorf("of %q: %s, want %s", address, got, want)
		}
	}
}

// TestPacketSource holds commands to what can be typed as it is printed.
func TestPacketSource(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name          string
		source, netns string
		live, reports bool // rows of a host that was watched; or of reports, which tell a part of them
		enter, flag   string
	}{
		{"a file", "/tmp/a.pcapng", "", false, false, "", "-r /tmp/a.pcapng"},
		{"a file beside reports", "/tmp/a.pcapng", "", true, true, "", "-r /tmp/a.pcapng"},
		{"the first of two", "a.pcap, b.pcap", "", false, false, "", "-r a.pcap"},
		{"a name with a space", "my files/a's.pcap", "", false, false, "", `-r "my files/a's.pcap"`},
		{"standard input", "-", "", false, false, "", "-r FILE"},
		{"an interface", "va", "", true, false, "", "-i va"},
		{"in a namespace by name", "va", "w3a", true, false, "ip netns exec w3a", "-i va"},
		{"by process", "va", "4711", true, false, "nsenter --net -t 4711", "-i va"},
		{"by path", "va", "/run/netns/w3a", true, false, "nsenter --net=/run/netns/w3a", "-i va"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var m recording.Manifest
			if tc.reports {
				m.Probes = []recording.ProbeInfo{{Name: "vmstat", Fills: []recording.Table{recording.System}, Only: []string{"system.running"}}}
			}
			rec := recording.New(m)
			w := recording.NewWriter(at)
			recording.Append(w, recording.PacketCapture{At: at, Last: at, Source: tc.source, NetNS: tc.netns})
			if tc.live {
				recording.Append(w, recording.SystemSample{At: at})
			}
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			got := New(rec, at, at.Add(time.Second)).PacketSource()
			if got.Enter.String() != tc.enter || got.Flag().String() != tc.flag {
				t.Errorf("%q %q, want %q %q", got.Enter, got.Flag(), tc.enter, tc.flag)
			}
		})
	}
}

// TestDecodeAsIsRepeated holds commands to show what the verdict was made of: all
// files, decoded as the user said.
func TestDecodeAsIsRepeated(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	view := func(live bool, captures ...recording.PacketCapture) *View {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(at)
		for _, c := range captures {
			c.At, c.Last = at, at
			recording.Append(w, c)
		}
		if live {
			recording.Append(w, recording.SystemSample{At: at})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return New(rec, at, at.Add(time.Second))
	}
	const as = "5353=dns,8000=postgres,9000=generic"
	files := view(false, recording.PacketCapture{Source: "a.pcap, b.pcap", DecodeAs: as}).PacketSource()
	live := view(true, recording.PacketCapture{Source: "any", DecodeAs: "8000=mysql"}).PacketSource()
	pair := view(false, recording.PacketCapture{Source: "a", Point: "client", DecodeAs: "8000=http"}, recording.PacketCapture{Source: "b", Point: "server", DecodeAs: "8000=http"})
	for _, tc := range []struct{ got, want string }{
		{files.Packets(8000).With("--by statement").String(), "rtrail packets a.pcap b.pcap -p 8000 --decode-as 5353=dns --decode-as 8000=postgres --decode-as 9000=generic --by statement"},
		{files.Tshark(shell.Display("tcp")).String(), "tshark -r a.pcap -d tcp.port==5353,dns -d udp.port==5353,dns -d tcp.port==8000,pgsql -Y tcp"},
		{live.Packets(8000).String(), "rtrail packets -i any -p 8000 --for 10s --decode-as 8000=mysql"},
		{pair.PairFlags().String(), "--client-side a --server-side b --decode-as 8000=http"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}
