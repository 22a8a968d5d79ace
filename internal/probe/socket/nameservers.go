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
	"strings"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/probe/localfile"
	"rtrail/internal/recording"
)

// Bounds of resolv.conf(5).
const (
	resolvConf     = "/etc/resolv.conf"
	maxResolvConf  = 64 << 10 // bytes that are read
	maxNameServers = 3        // MAXNS (resolv.h): libraries ignore the others
	defaultServer  = "127.0.0.1"
)

// nameServers lists whom programs of the namespace ask for names: none where no process of
// it is known, or where its file cannot be read.
func (n *namespace) nameServers(at time.Time) []recording.NameServer {
	pid := n.PID
	if n.Own {
		pid = int32(os.Getpid())
	}
	if pid == 0 {
		return nil
	}
	var text io.Reader = strings.NewReader("")
	f, err := localfile.OpenLinked(pid, resolvConf)
	switch {
	case err == nil:
		defer f.Close()
		text = f
	case !errors.Is(err, fs.ErrNotExist):
		return nil
	}
	var rows []recording.NameServer
	for _, server := range parseResolvConf(io.LimitReader(text, maxResolvConf)) {
		rows = append(rows, recording.NameServer{At: at, NetNS: n.NetNS, Server: server})
	}
	if rows == nil {
		rows = append(rows, recording.NameServer{At: at, NetNS: n.NetNS, Server: defaultServer, Default: true})
	}
	return rows
}

// parseResolvConf lists the name servers of a file as libraries read it.
func parseResolvConf(r io.Reader) (servers []string) {
	lines := bufio.NewScanner(r)
	for lines.Scan() && len(servers) < maxNameServers {
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

// AskNameServers makes the probe send queries of its own, once to each name server that it finds.
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
