package memory

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// bufferPool is how the buffer pool of a MySQL server moved. It is private memory
// of the process, which the kernel gives page by page as the pool fills, and it has
// a limit: the size it was told.
type bufferPool struct {
	used []point // bytes that hold something
	free float64 // bytes that hold nothing, at the last reading
}

// usualPage is InnoDB's page unless innodb_page_size says otherwise.
const usualPage = 16 << 10

// poolOf finds the buffer pool of a process that was asked as a MySQL server.
func poolOf(v *view.View, p view.Process) (pool bufferPool, known bool) {
	for _, s := range v.MySQLServers() {
		if s.Process == nil || s.Process.PID != p.PID || !s.Process.Started.Equal(p.Started) {
			continue
		}
		page := float64(usualPage)
		if n, ok := s.IntVariable("innodb_page_size"); ok && n > 0 {
			page = float64(n)
		}
		free, total := s.Readings("Innodb_buffer_pool_pages_free"), s.Readings("Innodb_buffer_pool_pages_total")
		if len(free) < 2 || len(free) != len(total) {
			return pool, false
		}
		for i, f := range free {
			pool.used = append(pool.used, point{f.At, (total[i].Value - f.Value) * page})
			pool.free = f.Value * page
		}
		return pool, true
	}
	return pool, false
}

// grown is how much more of the pool is used at the end of the window.
func (b bufferPool) grown() float64 {
	if len(b.used) == 0 {
		return 0
	}
	return b.used[len(b.used)-1].bytes - b.used[0].bytes
}

// fits says whether there is room for all of the pool. Where there is not, its
// growth ends as a leak does.
func (b bufferPool) fits(c ceiling) bool { return c.known && b.free <= c.room }

// without is memory less what the pool gained since its first reading.
func (b bufferPool) without(memory []point) []point {
	rest := make([]point, len(memory))
	for i, m := range memory {
		rest[i] = point{m.at, m.bytes - (b.usedAt(m.at) - b.used[0].bytes)}
	}
	return rest
}

// usedAt is what the pool held at a time: between two readings on the line that
// joins them.
func (b bufferPool) usedAt(at time.Time) float64 {
	for i, u := range b.used {
		if at.After(u.at) {
			continue
		}
		if i == 0 {
			return u.bytes
		}
		before := b.used[i-1]
		part := at.Sub(before.at).Seconds() / u.at.Sub(before.at).Seconds()
		return before.bytes + part*(u.bytes-before.bytes)
	}
	return b.used[len(b.used)-1].bytes
}

// mayHold says whether the pool can be where memory went beside the pages that it
// gained: frames that were used for a moment and are free again stay with the
// process.
func (b bufferPool) mayHold(t trend) bool { return t.grown <= b.free }

// isMySQL says whether a process is a server of MySQL's family by its name.
func isMySQL(p view.Process) bool { return p.Comm == "mariadbd" || strings.HasPrefix(p.Comm, "mysqld") }

// fillsToo is why the growth of a server cannot be judged beside that of its pool.
func fillsToo(p view.Process, t trend, b bufferPool) *rule.NotJudged {
	return &rule.NotJudged{Needs: fmt.Sprintf("to see %s (%d) with its buffer pool full", p.Comm, p.PID),
		Why: fmt.Sprintf("its memory grew by %v beside the %v that its InnoDB buffer pool gained; %v of the pool are free, and the growth may be there", unit.Bytes(t.grown), unit.Bytes(b.grown()), unit.Bytes(b.free)),
		How: shell.Say("watch again when it has warmed up")}
}

// notAsked is why the growth of a young server cannot be judged that nobody asked.
func notAsked(p view.Process, t trend) *rule.NotJudged {
	return &rule.NotJudged{Needs: fmt.Sprintf("the buffer pool of %s (%d)", p.Comm, p.PID),
		Why: fmt.Sprintf("its memory grew by %v; it has just started, and its InnoDB buffer pool grows like this at start", unit.Bytes(t.grown)),
		How: shell.Say("name the server: --mysql USER@HOST:PORT, or watch again when it has warmed up")}
}

// evidence says what the pool has to do with the growth that was found.
func (b bufferPool) evidence(c ceiling) rule.Evidence {
	e := rule.Evidence{Metric: metric.MySQLBufferPoolGrowth, Value: b.grown(),
		What: rule.T("not counted: %v that its InnoDB buffer pool gained", unit.Bytes(b.grown()))}
	if !b.fits(c) {
		e.What = rule.T("its InnoDB buffer pool gained %v of it and can still grow by %v, more than the remaining memory", unit.Bytes(b.grown()), unit.Bytes(b.free))
	}
	return e
}

// shrink is the command that makes the pool as large as what it uses and half of the room that is
// left; none where nothing tells how much that is.
func (b bufferPool) shrink(c ceiling) shell.Command {
	if !c.known || len(b.used) == 0 {
		return shell.Command{}
	}
	size := b.used[len(b.used)-1].bytes + max(c.room, 0)/2
	return shell.Line(`mysql -e "set global innodb_buffer_pool_size=%d"   # and in my.cnf`, int64(min(size, math.MaxInt64/2))>>20<<20)
}
