package failover

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/server"
	"rtrail/internal/mysqlconn"
)

// pair is a MariaDB with a replica and a name that leads to one of them, in namespaces.
type pair struct {
	t                *testing.T
	e                *env.Env
	client           *env.NetNS
	primary, replica *server.MySQL
	home             string // address of the client
	dnsmasq          *env.Proc
	resolver         *net.Resolver
}

const pairName = "db.lab"

func newPair(t *testing.T) *pair {
	t.Helper()
	envtest.Isolate(t)
	e, err := env.New("test/switched", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	p := &pair{t: t, e: e}
	var ns [3]*env.NetNS
	for i, name := range []string{"a", "b", "client"} {
		if ns[i], err = e.NetNS(name); err != nil {
			t.Fatal(err)
		}
	}
	_, ends, err := e.Bridge(ns[:]...)
	if err != nil {
		t.Fatal(err)
	}
	p.client, p.home = ns[2], ends[2].Addr
	for i, m := range []**server.MySQL{&p.primary, &p.replica} {
		options := []string{"--log-bin=bin", fmt.Sprintf("--server-id=%d", i+1), "--slave-net-timeout=4"}
		if *m, err = server.StartMySQL(t.Context(), e, server.MariaDB10(), ends[i], options...); err != nil {
			t.Fatal(err)
		}
		p.on(*m, "RESET MASTER")
	}
	p.on(p.replica, fmt.Sprintf("SET GLOBAL gtid_slave_pos=''; CHANGE MASTER TO master_host='%s', master_port=3306, master_user='lab', master_use_gtid=slave_pos; START SLAVE; SET GLOBAL read_only=1", p.primary.Addr))
	// Users of labs may write in spite of read_only, this one may not.
	p.on(p.primary, "CREATE USER app@'%'; GRANT ALL ON lab.* TO app@'%'; CREATE TABLE lab.plain (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)")
	p.caughtUp()
	p.lead(p.primary)
	if p.dnsmasq, err = p.client.Start("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--user=root", "--pid-file=", "--no-resolv", "--no-hosts", "--addn-hosts="+e.Path("hosts"),
		"--listen-address=127.0.0.1", "--bind-interfaces", "--local-ttl=0"); err != nil {
		t.Fatal(err)
	}
	p.resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return p.client.Dial(ctx, network, "127.0.0.1:53")
	}}
	if err := env.Until(t.Context(), 10*time.Second, "dnsmasq to answer", func() (bool, error) {
		_, err := p.resolver.LookupHost(t.Context(), pairName)
		return err == nil, err
	}); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) on(m *server.MySQL, statements string) string {
	p.t.Helper()
	out, err := m.Query(p.t.Context(), statements)
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// caughtUp waits for the replica.
func (p *pair) caughtUp() {
	p.t.Helper()
	want := p.on(p.primary, "SELECT @@gtid_binlog_pos")
	if got := p.on(p.replica, "SELECT MASTER_GTID_WAIT('"+want+"', 20)"); got != "0" {
		p.t.Fatalf("the replica does not catch up: %q", got)
	}
}

// lead has the name lead to a server.
func (p *pair) lead(m *server.MySQL) {
	p.t.Helper()
	if _, err := p.e.WriteFile("hosts", m.Addr+" "+pairName+"\n"); err != nil {
		p.t.Fatal(err)
	}
	if p.dnsmasq != nil {
		if err := p.dnsmasq.Signal(syscall.SIGHUP); err != nil {
			p.t.Fatal(err)
		}
	}
}

// promote makes the replica the primary.
func (p *pair) promote() {
	p.t.Helper()
	p.on(p.replica, "STOP SLAVE; SET GLOBAL read_only=0")
}

// network is that of the client's namespace.
func (p *pair) network() network {
	n := newNetwork(p.resolver)
	n.dial = p.client.Dial
	return n
}

// plain is a writer of another make: database/sql with the usual driver.
type plain struct {
	mu        sync.Mutex
	acks      []time.Time
	numbers   map[int]bool
	connected []try
}

// try is a new connection.
type try struct {
	at time.Time
	ok bool
}

func (p *pair) open() *sql.DB {
	p.t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "app", "lab", pairName+":3306", "lab"
	cfg.Timeout, cfg.ReadTimeout, cfg.WriteTimeout, cfg.RejectReadOnly = patience, patience, patience, true
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		list, err := p.resolver.LookupHost(ctx, pairName)
		if err != nil {
			return nil, err
		}
		return p.client.Dial(ctx, "tcp", net.JoinHostPort(list[0], "3306"))
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	p.t.Cleanup(func() { db.Close() })
	return db
}

// run writes and connects, each 20 times a second, until ctx ends.
func (x *plain) run(ctx context.Context, p *pair) (wait func()) {
	const pace = 50 * time.Millisecond
	x.numbers = map[int]bool{}
	var all sync.WaitGroup
	writes, connects := p.open(), p.open()
	writes.SetMaxOpenConns(1)
	connects.SetMaxIdleConns(-1)
	all.Go(func() {
		for n := 1; sleep(ctx, pace); n++ {
			limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			if _, err := writes.ExecContext(limit, "INSERT INTO plain (n) VALUES (?)", n); err == nil {
				x.mu.Lock()
				x.acks, x.numbers[n] = append(x.acks, time.Now()), true
				x.mu.Unlock()
			}
			cancel()
		}
	})
	all.Go(func() {
		for sleep(ctx, pace) { // one that hangs delays none
			at := time.Now()
			all.Go(func() {
				limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
				defer cancel()
				ok := connects.PingContext(limit) == nil
				x.mu.Lock()
				x.connected = append(x.connected, try{at, ok})
				x.mu.Unlock()
			})
		}
	})
	return all.Wait
}

// longest are the longest time without an acknowledged write and without a connection.
func (x *plain) longest() (writes, connects time.Duration) {
	for i := 1; i < len(x.acks); i++ {
		writes = max(writes, x.acks[i].Sub(x.acks[i-1]))
	}
	slices.SortFunc(x.connected, func(a, b try) int { return a.at.Compare(b.at) })
	var failed time.Time
	for _, t := range x.connected {
		switch {
		case t.ok && !failed.IsZero():
			connects, failed = max(connects, t.at.Sub(failed)), time.Time{}
		case !t.ok && failed.IsZero():
			failed = t.at
		}
	}
	return writes, connects
}

// lost is how many acknowledged writes are not at a server.
func (x *plain) lost(p *pair, m *server.MySQL) (n int) {
	there := map[string]bool{}
	for _, number := range strings.Fields(p.on(m, "SELECT n FROM plain")) {
		there[number] = true
	}
	for number := range x.numbers {
		if !there[fmt.Sprint(number)] {
			n++
		}
	}
	return n
}

// TestSwitchedServers switches real servers in three ways. What is said of it must be what a
// plain writer measured, within a second. make lab-servers runs it: it takes two minutes, and
// a machine on which nothing else runs.
func TestSwitchedServers(t *testing.T) {
	if os.Getenv("RTRAIL_LAB_SERVERS") == "" {
		t.Skip("make lab-servers runs it")
	}
	needs := server.MariaDB10().Needs()
	needs.Commands, needs.Packages = append(needs.Commands, "dnsmasq"), append(needs.Packages, "dnsmasq-base")
	if missing := needs.Missing(); missing != "" {
		t.Skip(missing)
	}
	for name, test := range map[string]struct {
		change     func(*pair)
		disconnect bool
		lost       bool
	}{
		"clean": {func(p *pair) {
			p.on(p.primary, "SET GLOBAL read_only=1")
			p.caughtUp()
			time.Sleep(2 * time.Second) // as if it had been far behind
			p.promote()
			p.lead(p.replica)
		}, false, false},
		"killed": {func(p *pair) {
			p.on(p.replica, "STOP SLAVE")
			time.Sleep(700 * time.Millisecond) // what is written now is nowhere else
			if err := p.primary.Signal(syscall.SIGKILL); err != nil {
				p.t.Fatal(err)
			}
			time.Sleep(3 * time.Second) // until somebody notices
			p.promote()
			time.Sleep(time.Second)
			p.lead(p.replica)
		}, true, true},
		"split": {func(p *pair) {
			if err := p.e.IP("-n", p.primary.NetNS.Name, "route", "add", "blackhole", p.home+"/32"); err != nil {
				p.t.Fatal(err)
			}
			time.Sleep(4 * time.Second)
			p.promote()
			p.lead(p.replica)
		}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			target := mysqlconn.Target{Network: "tcp", Address: pairName + ":3306", Name: pairName + ":3306", User: "app", TLS: mysqlconn.TLSOff}
			watches := []*Watch{{Target: target, Schema: "lab", net: p.network()}, {Target: target, net: p.network()}}
			for _, w := range watches {
				w.Each = func(*Second) error { return nil }
				if err := w.Begin(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var writer plain
			wait := writer.run(ctx, p)
			var analyses [2]*Analysis
			var all sync.WaitGroup
			for i, w := range watches {
				all.Go(func() {
					r, err := w.Run(ctx, 25*time.Second)
					if err != nil {
						t.Error(err)
					}
					analyses[i] = Analyse(r)
				})
			}
			time.Sleep(8300 * time.Millisecond)
			test.change(p)
			all.Wait()
			cancel()
			wait()

			writes, connects := writer.longest()
			const tolerance = time.Second
			for i, a := range analyses {
				if err := near(a, writes, connects, tolerance+time.Duration(i)*time.Second, test.disconnect); err != nil {
					text, _ := json.MarshalIndent(a, "", " ")
					t.Errorf("%s: %v: %s", a.Source, err, text)
				}
				for n := range a.Interruptions {
					t.Logf("%s: %s (plain: %v without writes, %v without connection)", a.Source, a.Interruptions[n].headline(), writes, connects)
				}
			}
			written, lost := watches[0].Finish(t.Context()), writer.lost(p, p.replica)
			t.Logf("%+v; of the plain writer %d lost", *written, lost)
			if written.Error+written.Left != "" || written.Doubled > 0 || (written.Lost > 0) != test.lost || (lost > 0) != test.lost {
				t.Errorf("%+v; of the plain writer %d are lost", *written, lost)
			}
			// What watch and writer lose is of the same time: one writes twice as often.
			if got, want := float64(written.Lost)/10, float64(lost)/20; got-want > 0.5 || want-got > 0.5 {
				t.Errorf("%.1f s of writes are lost, and %.1f s of the plain writer's", got, want)
			}
		})
	}
}

// near compares an analysis with what was measured.
func near(a *Analysis, writes, connects, tolerance time.Duration, disconnect bool) error {
	if len(a.Interruptions) != 1 {
		return fmt.Errorf("%d interruptions", len(a.Interruptions))
	}
	it := a.Interruptions[0]
	kinds := map[Kind]bool{}
	for _, e := range it.Events {
		kinds[e.Kind] = true
	}
	switch {
	case len(it.Outages) != 1 || !it.Outages[0].EndSeen || it.Pause:
		return errors.New("not one outage of writes")
	case (it.WithoutWrites - writes).Abs() > tolerance:
		return fmt.Errorf("%v without writes, measured %v", it.WithoutWrites, writes)
	case (it.WithoutConnection - connects).Abs() > 1100*time.Millisecond:
		return fmt.Errorf("%v without connection, measured %v", it.WithoutConnection, connects)
	case (it.WithoutConnection > 0) != disconnect:
		return fmt.Errorf("%v without connection", it.WithoutConnection)
	case !kinds[NameChanged] || !kinds[NewServer] || !kinds[Recovered]:
		return errors.New("events are missing")
	case it.Before.Server == nil || it.After.Server == nil || it.Before.Server.ID != 1 || it.After.Server.ID != 2:
		return errors.New("the servers are others")
	}
	return nil
}
