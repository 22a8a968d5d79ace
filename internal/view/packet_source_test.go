package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
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
		live          bool
		enter, flag   string
	}{
		{"a file", "/tmp/a.pcapng", "", false, "", "-r /tmp/a.pcapng"},
		{"the first of two", "a.pcap, b.pcap", "", false, "", "-r a.pcap"},
		{"a name with a space", "my files/a's.pcap", "", false, "", `-r "my files/a's.pcap"`},
		{"standard input", "-", "", false, "", "-r FILE"},
		{"an interface", "va", "", true, "", "-i va"},
		{"in a namespace by name", "va", "w3a", true, "ip netns exec w3a", "-i va"},
		{"by process", "va", "4711", true, "nsenter --net -t 4711", "-i va"},
		{"by path", "va", "/run/netns/w3a", true, "nsenter --net=/run/netns/w3a", "-i va"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := recording.New(recording.Manifest{})
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
