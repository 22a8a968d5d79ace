package failover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlconn/mysqltest"
)

// host is a server of a test, at an address of its own.
type host struct {
	id       int
	readOnly bool
	down     bool // refuses, and its connections end
	hangs    bool // connects and lookups never end, whatever their context says
	denies   bool
	rows     []string // numbers, in the order of their ids
	counted  int
	replica  *host
	misses   int // writes the replica does not get any more
	conns    []net.Conn
}

// world is servers and a name.
type world struct {
	mu      sync.Mutex
	hosts   map[string]*host
	name    string // the address to which it leads
	dials   int
	release chan struct{} // ends what hangs
}

func newWorld() *world {
	a, b := &host{id: 1}, &host{id: 2, readOnly: true}
	a.replica = b
	return &world{hosts: map[string]*host{"10.0.0.1": a, "10.0.0.2": b}, name: "10.0.0.1", release: make(chan struct{})}
}

func (w *world) dialled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials
}

// at changes the world after a time.
func (w *world) at(d time.Duration, change func()) {
	time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		change()
	})
}

func (w *world) network() network {
	return network{
		lookup: func(context.Context, string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.name == "" {
				return nil, &net.DNSError{Err: "no such host", Name: "db", IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr(w.name)}, nil
		},
		dial: func(_ context.Context, _, address string) (net.Conn, error) {
			ip, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			h := w.hosts[ip]
			w.dials++
			if h.hangs {
				w.mu.Unlock()
				<-w.release
				w.mu.Lock()
			}
			if h.down || h.hangs {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			client, server := net.Pipe()
			h.conns = append(h.conns, server)
			s := mysqltest.Server{Answer: func(statement string) []string { return w.answer(h, statement) }}
			if h.denies {
				s.Login = []string{mysqltest.Error(1045, "Access denied")}
			}
			go s.Serve(server)
			return client, nil
		},
	}
}

func (w *world) answer(h *host, statement string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case statement == askWho:
		return mysqltest.Result([]string{"Variable_name", "Value"}, []string{"server_id", fmt.Sprint(h.id)}, []string{"hostname", fmt.Sprint("db", h.id)},
			[]string{"version", fmt.Sprintf("8.0.%d", h.id)}, []string{"read_only", map[bool]string{true: "ON", false: "OFF"}[h.readOnly]})
	case statement == askHow:
		return mysqltest.Result([]string{"Variable_name", "Value"}, []string{"Uptime", "1000"}, []string{"Questions", fmt.Sprint(h.counted)}, []string{"Com_insert", fmt.Sprint(h.counted)})
	case strings.HasPrefix(statement, "INSERT"):
		if h.readOnly {
			return []string{mysqltest.Error(1290, "read-only")}
		}
		number := strings.TrimSuffix(statement[strings.LastIndexByte(statement, '(')+1:], ")")
		h.rows = append(h.rows, number)
		h.counted++
		if r := h.replica; r != nil && h.misses == 0 {
			r.rows = append(r.rows, number)
		}
		return []string{mysqltest.OK}
	case strings.HasPrefix(statement, "SELECT"):
		var from int
		if _, err := fmt.Sscanf(statement[strings.Index(statement, "id > "):], "id > %d", &from); err != nil {
			return []string{mysqltest.Error(1064, err.Error())}
		}
		var rows [][]string
		for i := from; i < len(h.rows) && len(rows) < page; i++ {
			rows = append(rows, []string{fmt.Sprint(i + 1), h.rows[i]})
		}
		return mysqltest.Result([]string{"id", "n"}, rows...)
	}
	return []string{mysqltest.OK}
}

// die ends a server.
func (h *host) die() {
	h.down = true
	for _, c := range h.conns {
		c.Close()
	}
}

func (w *world) watch(t *testing.T, schema string, length time.Duration) (*Watch, Run) {
	t.Helper()
	x := &Watch{Target: mysqlconn.Target{Network: "tcp", Address: "db:3306", Name: "db:3306", User: "u", TLS: mysqlconn.TLSOff}, Schema: schema, net: w.network(), Each: func(*Second) error { return nil }}
	if err := x.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := x.Run(t.Context(), length)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Seconds) != int(length/time.Second) {
		t.Errorf("%d seconds in %v", len(r.Seconds), length)
	}
	return x, r
}

func TestAKilledServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a, b := w.hosts["10.0.0.1"], w.hosts["10.0.0.2"]
		w.at(19_750*time.Millisecond, func() { a.misses = 3 }) // replication falls behind
		w.at(20_050*time.Millisecond, func() { a.die() })
		w.at(23_050*time.Millisecond, func() { b.readOnly = false })
		w.at(26_050*time.Millisecond, func() { w.name = "10.0.0.2" })
		x, r := w.watch(t, "test", 40*time.Second)
		a0 := Analyse(r)
		if len(a0.Interruptions) != 1 {
			t.Fatalf("%+v", a0)
		}
		it := a0.Interruptions[0]
		if it.WithoutWrites != 6100*time.Millisecond || it.WithoutConnection != 6*time.Second {
			t.Errorf("%v without writes, %v without connection", it.WithoutWrites, it.WithoutConnection)
		}
		kinds := map[Kind]bool{}
		for _, e := range it.Events {
			kinds[e.Kind] = true
		}
		for _, k := range []Kind{FirstError, WritesStop, KeptLost, Disconnected, NameChanged, Connected, NewServer, WritesAgain, Recovered} {
			if !kinds[k] {
				t.Errorf("no %s in %v", k, it.Events)
			}
		}
		if got := x.Finish(t.Context()); got.Lost != 3 || got.Doubled != 0 || got.Unanswered != 0 || got.Error+got.Left != "" || got.Sent != got.Acknowledged+1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestDoublesAndUnansweredWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.hosts["10.0.0.1"]
		w.at(5*time.Second, func() { a.rows = append(a.rows, "3", "4") })
		x, _ := w.watch(t, "test", 10*time.Second)
		x.writer.mu.Lock()
		x.writer.acks[6] = false
		x.writer.mu.Unlock()
		got := x.Finish(t.Context())
		if got.Lost != 0 || got.Doubled != 2 || got.Unanswered != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// With read_only on, writes are refused; new connections are made until the name leads to a
// server that takes them.
func TestACleanSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a, b := w.hosts["10.0.0.1"], w.hosts["10.0.0.2"]
		w.at(10_050*time.Millisecond, func() { a.readOnly = true })
		w.at(12_050*time.Millisecond, func() { b.readOnly, w.name = false, "10.0.0.2" })
		x, r := w.watch(t, "test", 30*time.Second)
		it := Analyse(r).Interruptions[0]
		if it.WithoutWrites != 2100*time.Millisecond || len(it.Disconnections) != 0 || len(it.Codes) != 1 || it.Codes[0] != (Code{1290, "read_only", 20}) {
			t.Errorf("%v, %+v", it.WithoutWrites, it)
		}
		if got := x.Finish(t.Context()); got.Lost != 0 || got.Acknowledged != got.Sent-20 {
			t.Errorf("%+v", got)
		}
	})
}

// The counters of all clients tell it, too, without a write.
func TestCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a, b := w.hosts["10.0.0.1"], w.hosts["10.0.0.2"]
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for sleep(ctx, 10*time.Millisecond) {
				w.mu.Lock()
				if h := w.hosts[w.name]; !h.down && !h.readOnly {
					h.counted++
				}
				w.mu.Unlock()
			}
		}()
		w.at(10_500*time.Millisecond, func() { a.die() })
		w.at(15_500*time.Millisecond, func() { b.readOnly, w.name = false, "10.0.0.2" })
		_, r := w.watch(t, "", 30*time.Second)
		it := Analyse(r).Interruptions[0]
		if d := it.WithoutWrites - 5*time.Second; d.Abs() > time.Second || it.WithoutConnection != 5*time.Second || it.Pause || it.Recovered == nil {
			t.Errorf("%v without writes, %v without connection: %+v", it.WithoutWrites, it.WithoutConnection, it)
		}
	})
}

// What hangs, whatever its context says, delays no second; and it is not asked without end.
func TestWhatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.at(5_500*time.Millisecond, func() { w.hosts["10.0.0.1"].hangs = true })
		_, r := w.watch(t, "", 60*time.Second)
		for i, s := range r.Seconds {
			if s.Elapsed != time.Duration(i)*time.Second {
				t.Fatalf("second %d begins after %v", i, s.Elapsed)
			}
		}
		if n := w.dialled(); n > 1+6+maxHanging {
			t.Errorf("%d connects", n)
		}
		if it := Analyse(r).Interruptions; len(it) != 1 || it[0].WithoutConnection != 54*time.Second || it[0].Disconnections[0].EndSeen {
			t.Errorf("%+v", it)
		}
		close(w.release)
		synctest.Wait()
	})
}

func TestAServerThatDeniesIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.at(5_500*time.Millisecond, func() { w.hosts["10.0.0.1"].denies = true })
		_, r := w.watch(t, "", 60*time.Second)
		if n := w.dialled(); n > 1+6+6 {
			t.Errorf("%d connects", n)
		}
		it := Analyse(r).Interruptions
		if len(it) != 1 || it[0].WithoutConnection != 54*time.Second || r.Seconds[6].Connects.Class != "denied" {
			t.Errorf("%+v", it)
		}
	})
}

func TestANameThatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.at(5_500*time.Millisecond, func() { w.name = "" })
		w.at(8_500*time.Millisecond, func() { w.name = "10.0.0.1" })
		_, r := w.watch(t, "", 20*time.Second)
		it := Analyse(r).Interruptions
		if len(it) != 1 || it[0].WithoutConnection != 3*time.Second || r.Seconds[6].Connects.Class != "name" || r.Seconds[6].LookupError == "" {
			t.Errorf("%+v", it)
		}
	})
}

func TestBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, change := range map[string]func(*world){"refused": func(w *world) { w.hosts["10.0.0.1"].down = true }, "denied": func(w *world) { w.hosts["10.0.0.1"].denies = true }, "name": func(w *world) { w.name = "" }} {
			w := newWorld()
			change(w)
			x := &Watch{Target: mysqlconn.Target{Network: "tcp", Address: "db:3306", Name: "db:3306", User: "u", TLS: mysqlconn.TLSOff}, net: w.network()}
			err := x.Begin(t.Context())
			if class, _ := classOf(err); class != name {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestWhenNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		full := errors.New("full")
		x := &Watch{Target: mysqlconn.Target{Network: "tcp", Address: "db:3306", Name: "db:3306", User: "u", TLS: mysqlconn.TLSOff}, Schema: "test", net: w.network(), Each: func(*Second) error { return full }}
		if err := x.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := x.Run(t.Context(), time.Hour); !errors.Is(err, full) || len(r.Seconds) != 1 {
			t.Errorf("%d seconds, %v", len(r.Seconds), err)
		}
		if got := x.Finish(t.Context()); got.Left != "" {
			t.Errorf("%+v", got)
		}
	})
}
