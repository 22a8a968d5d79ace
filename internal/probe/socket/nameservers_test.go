package socket

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestParseResolvConf(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil,
		"search example.org\n# nameserver 10.0.0.9\n;nameserver 10.0.0.8\n":                      nil,
		"nameserver 10.0.0.53\noptions timeout:1\nnameserver\t2001:db8::53 # the other\n":        {"10.0.0.53", "2001:db8::53"},
		"nameserver fe80::1%eth0\nnameserver $(touch x)\nnameserver\nnameserver ::ffff:10.0.0.1": {"fe80::1", "10.0.0.1"},
		"nameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 10.0.0.3\nnameserver 10.0.0.4":     {"10.0.0.1", "10.0.0.2", "10.0.0.3"},
		"nameserver 10.0.0.1\n" + strings.Repeat("x", 1<<17) + "\nnameserver 10.0.0.2\n":         {"10.0.0.1"},
	} {
		if got := parseResolvConf(strings.NewReader(text), maxNameServers); !slices.Equal(got, want) {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
}

// TestUpstreams reads whom systemd-resolved asks where programs ask its stub, and only there.
func TestUpstreams(t *testing.T) {
	at := time.Unix(1.7e9, 0)
	row := func(server, via string) recording.NameServer {
		return recording.NameServer{At: at, NetNS: 7, Server: server, Via: via}
	}
	for tree, want := range map[string][]recording.NameServer{
		"ubuntu":    {row("127.0.0.53", ""), row("10.0.0.2", "127.0.0.53"), row("2001:db8::2", "127.0.0.53")},
		"direct":    {row("10.0.0.2", "")},
		"container": {row("127.0.0.53", "")},
		"empty":     {{At: at, NetNS: 7, Server: defaultServer, Default: true}},
	} {
		if got := nameServersOf(7, at, inTree(filepath.Join("testdata", "resolv", tree))); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", tree, got, want)
		}
	}
}

// inTree opens files below a root directory, as the links in it lead.
func inTree(root string) func(string) (*os.File, error) {
	return func(path string) (*os.File, error) { return os.OpenInRoot(root, strings.TrimPrefix(path, "/")) }
}

// A list without end is cut, and a stub that is listed as its own upstream server is left out.
func TestManyUpstreams(t *testing.T) {
	root := t.TempDir()
	list := "nameserver 127.0.0.54\n"
	for i := range 300 {
		list += fmt.Sprintf("nameserver 10.0.%d.1\n", i%200)
	}
	for path, text := range map[string]string{resolvConf: "nameserver 10.0.0.9\nnameserver 127.0.0.54\n", upstreamConf: list} {
		name := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows := nameServersOf(7, time.Now(), inTree(root))
	if len(rows) != 2+maxUpstreams-1 || rows[1].Server != "127.0.0.54" || rows[1].Via != "" {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for _, r := range rows[2:] {
		if r.Via != "127.0.0.54" || isStub(r.Server) {
			t.Errorf("%+v", r)
		}
	}
}

// A file that may not be read says nothing: libraries may ask anybody.
func TestUnreadableResolvConf(t *testing.T) {
	refuse := func(string) (*os.File, error) { return nil, fs.ErrPermission }
	if rows := nameServersOf(7, time.Now(), refuse); rows != nil {
		t.Errorf("%+v", rows)
	}
}

func TestNameServersOfOwnNamespace(t *testing.T) {
	n := &namespace{NetNSSample: recording.NetNSSample{NetNS: 7, Own: true}}
	if rows := n.nameServers(time.Now()); len(rows) == 0 || rows[0].NetNS != 7 || rows[0].Server == "" || rows[0].Asked != 0 {
		t.Errorf("%+v", rows)
	}
	if rows := (&namespace{}).nameServers(time.Now()); rows != nil {
		t.Errorf("a namespace without processes has %+v", rows)
	}
}

// TestAskServer has servers that answer, with strange packets before, or not at all.
func TestAskServer(t *testing.T) {
	for name, test := range map[string]struct {
		answers  bool
		patient  time.Duration
		answered int64
	}{
		"answers": {true, 10 * time.Second, 1},
		"mute":    {false, 10 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				b := make([]byte, 100)
				for i := 0; ; i++ {
					n, from, err := listener.ReadFrom(b)
					if err != nil {
						return
					}
					if !test.answers {
						continue
					}
					_, _ = listener.WriteTo([]byte("?"), from)
					_, _ = listener.WriteTo(b[:n], from) // no answer
					b[0]++
					b[2] |= 0x80
					_, _ = listener.WriteTo(b[:n], from) // to another query
					b[0]--
					_, _ = listener.WriteTo(b[:n], from)
				}
			}()
			conn, err := net.Dial("udp", listener.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			asked, answered, took := askServer(conn, test.patient)
			if answered != test.answered || answered == 0 && asked != askTimes || took <= 0 {
				t.Errorf("asked %d, answered %d in %v", asked, answered, took)
			}
		})
	}
}

func FuzzResolvConf(f *testing.F) {
	f.Add("nameserver 10.0.0.1\noptions rotate\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got := parseResolvConf(strings.NewReader(text), maxNameServers); len(got) > maxNameServers || slices.Contains(got, "") {
			t.Errorf("%q", got)
		}
	})
}
