package socket

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/probe/localfile"
	"rtrail/internal/recording"
)

// Bounds of resolv.conf(5), and of the file of the same form that lists whom systemd-resolved asks
// (systemd-resolved.service(8), "/etc/resolv.conf").
const (
	resolvConf     = "/etc/resolv.conf"
	upstreamConf   = "/run/systemd/resolve/resolv.conf"
	maxResolvConf  = 64 << 10 // bytes that are read of each
	maxNameServers = 3        // MAXNS (resolv.h): libraries ignore the others
	maxUpstreams   = 8        // that are recorded: systemd-resolved may have any number
	defaultServer  = "127.0.0.1"
)

// stubs are where systemd-resolved answers programs (resolved.conf(5), DNSStubListener).
var stubs = []string{"127.0.0.53", "127.0.0.54"}

// nameServers lists whom programs of the namespace ask for names, then whom systemd-resolved asks
// for them: none where no process of it is known, or where its file cannot be read.
func (n *namespace) nameServers(at time.Time) []recording.NameServer {
	pid := n.PID
	if n.Own {
		pid = int32(os.Getpid())
	}
	if pid == 0 {
		return nil
	}
	return nameServersOf(n.NetNS, at, func(path string) (*os.File, error) { return localfile.OpenLinked(pid, path) })
}

// nameServersOf reads them from files as a process of a namespace sees them.
func nameServersOf(netns uint64, at time.Time, open func(path string) (*os.File, error)) (rows []recording.NameServer) {
	servers, err := readServers(resolvConf, maxNameServers, open)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if len(servers) == 0 {
		return []recording.NameServer{{At: at, NetNS: netns, Server: defaultServer, Default: true}}
	}
	for _, server := range servers {
		rows = append(rows, recording.NameServer{At: at, NetNS: netns, Server: server})
	}
	stub := slices.IndexFunc(servers, isStub)
	if stub < 0 {
		return rows // nobody is known to ask systemd-resolved, whether it runs or not
	}
	upstreams, _ := readServers(upstreamConf, maxUpstreams, open) // none where it does not run, as in a container with the file of its host
	for _, server := range upstreams {
		if !isStub(server) {
			rows = append(rows, recording.NameServer{At: at, NetNS: netns, Server: server, Via: servers[stub]})
		}
	}
	return rows
}

func isStub(server string) bool { return slices.Contains(stubs, server) }

// readServers lists the first name servers of a file.
func readServers(path string, most int, open func(path string) (*os.File, error)) ([]string, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseResolvConf(io.LimitReader(f, maxResolvConf), most), nil
}

// parseResolvConf lists the first name servers of a file as libraries read it.
func parseResolvConf(r io.Reader, most int) (servers []string) {
	lines := bufio.NewScanner(r)
	for lines.Scan() && len(servers) < most {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] != "nameserver" {
			continue
		}
		if a, err := netip.ParseAddr(words[1]); err == nil {
			servers = append(servers, a.WithZone("").Unmap().String())
		}
	}
	return servers
}

// AskNameServers makes the probe send queries of its own, once to each name server that it finds,
// also to those that systemd-resolved asks: which of both is slow is known then.
func (p *Probe) AskNameServers() { p.asker = &asker{asked: map[server]bool{}} }

// asker asks name servers and keeps what became of it until it is read. One that does not answer
// holds up no sample.
type asker struct {
	asked map[server]bool

	mu   sync.Mutex
	rows []recording.NameServer
}

type server struct {
	netns   uint64
	address string
}

const (
	maxAsked   = 24              // name servers in all
	askTimes   = 2               // queries to one that does not answer
	askPatient = 2 * time.Second // for an answer to each
)

// answers are the rows since the last call.
func (a *asker) answers() []recording.NameServer {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := a.rows
	a.rows = nil
	return rows
}

// ask begins to ask those servers of a namespace that were not asked yet.
func (a *asker) ask(fd int, servers []recording.NameServer) {
	for _, row := range servers {
		s := server{row.NetNS, row.Server}
		if a.asked[s] || len(a.asked) >= maxAsked {
			continue
		}
		a.asked[s] = true
		var conn net.Conn
		err := enter(fd, func() (err error) {
			conn, err = net.Dial("udp", net.JoinHostPort(row.Server, "53"))
			return err
		})
		if err != nil {
			continue // no route: nothing was asked
		}
		go func() {
			defer conn.Close()
			_ = crash.Guard(func() error {
				row.Asked, row.Answered, row.Time = askServer(conn, askPatient)
				row.At = time.Now()
				a.mu.Lock()
				defer a.mu.Unlock()
				a.rows = append(a.rows, row)
				return nil
			})
		}()
	}
}

// askServer asks for the name servers of the root, which each resolver knows, until there is an
// answer of any kind.
func askServer(conn net.Conn, patient time.Duration) (asked, answered int64, took time.Duration) {
	const header, isAnswer = 12, 0x80
	began := time.Now()
	answer := make([]byte, 1500)
	for asked < askTimes {
		id := uint16(rand.Uint32())
		// RFC 1035, section 4: recursion desired, one question; the root, NS, IN.
		query := append(binary.BigEndian.AppendUint16(nil, id), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1)
		asked++
		_ = conn.SetDeadline(time.Now().Add(patient))
		if _, err := conn.Write(query); err != nil {
			continue // the one before was refused
		}
		for {
			n, err := conn.Read(answer)
			if err != nil {
				break
			}
			if n >= header && binary.BigEndian.Uint16(answer) == id && answer[2]&isAnswer != 0 {
				return asked, 1, time.Since(began)
			}
		}
	}
	return asked, 0, time.Since(began)
}
