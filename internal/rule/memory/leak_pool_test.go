package memory

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// A buffer pool that fills is no leak; what grows beside it may be one.
func TestLeakBesideBufferPool(t *testing.T) {
	const pages = mib / (16 << 10) // of a MiB
	type server struct {
		comm      string
		age       time.Duration // when the window begins
		grows     float64       // MiB per second
		pool      float64       // MiB per second of that are its buffer pool's
		free      float64       // MiB of the pool, at the end of the window
		unasked   bool
		available int64
	}
	host := func(x server) func() *ruletest.Host {
		return func() *ruletest.Host {
			if x.available == 0 {
				x.available = 20 * gib
			}
			h := ruletest.New(2, 10).Memory(24*gib, x.available, -x.grows*mib)
			h.Process(ruletest.Process{PID: 33, Comm: x.comm, CPU: 1, Anon: 200 * mib, AnonGrowth: x.grows * mib, Started: ruletest.Start.Add(-x.age)})
			if x.unasked {
				return h
			}
			h.MySQL(ruletest.MySQL{PID: 33, Gauges: map[string]float64{"Innodb_buffer_pool_pages_total": 1 << 20}, Variables: map[string]string{"innodb_page_size": "16384"}})
			return ruletest.Every(h, func(at time.Time, s float64) recording.MySQLStatus {
				return recording.MySQLStatus{At: at, Server: "10.0.0.2:3306", Name: "Innodb_buffer_pool_pages_free", Value: (x.free + x.pool*(10-s)) * pages}
			})
		}
	}
	const young, old = 10 * time.Second, time.Hour
	ruletest.Check(t, leak, []ruletest.Situation{
		{Name: "the pool fills", Host: host(server{comm: "mysqld", age: young, grows: 2, pool: 2, free: 100})},
		{Name: "the pool of an old server fills", Host: host(server{comm: "mariadbd", age: old, grows: 2, pool: 2, free: 100})},
		{Name: "hardly anything beside the pool", Host: host(server{comm: "mysqld", age: young, grows: 2.2, pool: 2, free: 100})},
		{Name: "the pool may hold it, and does not tell", Abstains: "its memory grew by 20 MiB beside the 10 MiB that its InnoDB buffer pool gained; 100 MiB of the pool are free",
			Host: host(server{comm: "mysqld", age: young, grows: 3, pool: 1, free: 100})},
		{Name: "more than the pool can hold", Want: rule.Possible, Kind: view.KindProcess, Subject: "mysqld", Low: 0.0005, High: 0.01,
			Says: "mysqld (33) takes 2 MiB more memory every second", Proof: "not counted: 10 MiB that its InnoDB buffer pool gained",
			Host: host(server{comm: "mysqld", age: old, grows: 3, pool: 1, free: 4})},
		{Name: "memory is gone soon, pool or not", Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 0.1, High: 0.3, Says: "takes 50 MiB more memory every second",
			Host: host(server{comm: "mysqld", age: old, grows: 51, pool: 1, free: 1024, available: 3 * gib})},
		{Name: "there is no room for the pool", Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 0.1, High: 0.3, Says: "takes 20 MiB more memory every second",
			Proof: "can still grow by 8 GiB, more than the remaining memory", Host: host(server{comm: "mysqld", age: old, grows: 20, pool: 20, free: 8192, available: gib})},
		{Name: "the pool is full", Want: rule.Possible, Kind: view.KindProcess, Subject: "mysqld", Low: 0.0005, High: 0.01, Says: "takes 2 MiB more memory every second",
			Host: host(server{comm: "mysqld", age: young, grows: 2, free: 16})},
		{Name: "nobody asked a young server", Abstains: "its memory grew by 20 MiB; it has just started", Host: host(server{comm: "mysqld", age: young, grows: 2, unasked: true})},
		{Name: "nobody asked an old server", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.0005, High: 0.01, Host: host(server{comm: "mariadbd", age: old, grows: 2, unasked: true})},
		{Name: "another young program", Want: rule.Possible, Kind: view.KindProcess, Subject: "leaky-service", Low: 0.0005, High: 0.01, Host: host(server{comm: "leaky-service", age: young, grows: 2, unasked: true})},
	})
}
