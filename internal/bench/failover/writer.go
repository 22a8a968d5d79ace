package failover

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
)

const (
	// pace is how far apart the writes of a watch are: ten a second.
	pace = 100 * time.Millisecond
	// settle is how long making, reading and dropping the table may take, each.
	settle = 10 * time.Second
	// page is how many rows are read back at a time.
	page = 10_000
)

// writer writes numbers into a table of its own, one row and one commit each, and remembers
// which of them the server acknowledged.
type writer struct {
	w     *Watch
	table string // quoted
	start time.Time
	done  chan struct{}

	mu     sync.Mutex
	events []event // not taken yet
	sent   uint32  // the highest number
	acks   []bool  // by number - 1
	bug    string
}

// event is the end of a write or of a connect for it.
type event struct {
	at     time.Duration
	ok     bool
	class  string
	number int
	lost   string // the connection ended: why
}

// SchemaName says whether a name can be that of a schema into which a watch writes.
func SchemaName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= 64 && !strings.ContainsAny(s, "`\x00")
}

func newWriter(ctx context.Context, w *Watch) (*writer, error) {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	x := &writer{w: w, table: fmt.Sprintf("`%s`.`rtrail_watch_%s`", w.Schema, hex.EncodeToString(b[:])), done: make(chan struct{})}
	// A primary key, which clusters ask for; and the number is none, so that doubles can be seen.
	err := x.settle(ctx, func(ctx context.Context, c *mysqlconn.Conn) error {
		_, err := c.Query(ctx, "CREATE TABLE "+x.table+" (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, n INT UNSIGNED NOT NULL) ENGINE=InnoDB COMMENT='rtrail bench watch: may be dropped'")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make the table %s: %w", x.table, err)
	}
	return x, nil
}

// settle does something over a connection of its own.
func (x *writer) settle(ctx context.Context, do func(context.Context, *mysqlconn.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	c, err := x.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

func (x *writer) connect(ctx context.Context) (*mysqlconn.Conn, error) {
	addresses, err := x.w.net.resolve(ctx, x.w.Target)
	if err != nil {
		return nil, err
	}
	c, err := x.w.net.connect(ctx, x.w.Target, addresses)
	if err != nil {
		return nil, err
	}
	if _, err := c.Query(ctx, "SET autocommit=1"); err != nil {
		c.Abort()
		return nil, err
	}
	return c, nil
}

// begin writes until ctx ends.
func (x *writer) begin(ctx context.Context, start time.Time) {
	x.start = start
	go func() {
		defer close(x.done)
		if err := crash.Guard(func() error { x.run(ctx); return nil }); err != nil {
			x.mu.Lock()
			x.bug = err.Error()
			x.mu.Unlock()
		}
	}()
}

// wait returns when the last write has ended.
func (x *writer) wait() {
	select {
	case <-x.done:
	case <-time.After(2 * patience):
	}
}

// run writes at a fixed pace. Numbers that could not be sent in time are left out: each that
// is sent stands for itself, and the time without acknowledged ones for all.
func (x *writer) run(ctx context.Context) {
	var c *mysqlconn.Conn
	defer func() {
		if c != nil {
			c.Close()
		}
	}()
	for n := 0; ; n = max(n+1, int(time.Since(x.start)/pace)) {
		if !sleep(ctx, time.Until(x.start.Add(time.Duration(n)*pace))) {
			return
		}
		err := x.write(ctx, &c)
		if ctx.Err() != nil {
			return
		}
		if kind, number := mysqlconn.Classify(err); kind == mysqlconn.Denied && number != 0 && !sleep(ctx, deniedPause) {
			return
		}
	}
}

// write writes the next number, over a new connection if there is none. One that failed is
// not used again: the name may lead elsewhere by now.
func (x *writer) write(ctx context.Context, c **mysqlconn.Conn) error {
	// What is under way when the watch ends is waited for.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var err error
	e := event{}
	made := *c != nil
	if !made {
		*c, err = x.connect(limit)
	}
	var number uint32
	if err == nil {
		x.mu.Lock()
		x.sent++
		number = x.sent
		x.acks = append(x.acks, false)
		x.mu.Unlock()
		_, err = (*c).Query(limit, "INSERT INTO "+x.table+" (n) VALUES ("+strconv.FormatUint(uint64(number), 10)+")")
	}
	if e.ok = err == nil; !e.ok {
		e.class, e.number = classOf(err)
		if e.number == 0 && made {
			e.lost = cut(mysqlconn.Text(err))
		}
		if *c != nil {
			(*c).Close()
			*c = nil
		}
	}
	e.at = time.Since(x.start)
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.ok {
		x.acks[number-1] = true
	}
	x.events = append(x.events, e)
	return err
}

// take gives a second what the writer did until its end.
func (x *writer) take(s *Second, end time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	type key struct {
		number int
		class  string
	}
	failed := map[key]int{}
	n, oks := 0, 0
	for ; n < len(x.events) && x.events[n].at < end; n++ {
		e := &x.events[n]
		if !e.ok {
			failed[key{e.number, e.class}]++
			if e.lost != "" {
				s.Lost = e.lost
			}
			continue
		}
		oks++
		if s.FirstWrite == 0 {
			s.FirstWrite = e.at
		}
		s.LastWrite = e.at
	}
	x.events = x.events[n:]
	long := (end - s.Elapsed).Seconds()
	s.TPS, s.Errors, s.Codes = document.Number(float64(oks)/long), document.Number(float64(n-oks)/long), []Code{}
	for _, k := range slices.SortedFunc(maps.Keys(failed), func(a, b key) int { return failed[b] - failed[a] }) {
		s.Codes = append(s.Codes, Code{k.number, k.class, failed[k]})
	}
}

// Written is what became of the writes of a watch.
type Written struct {
	Table        string `json:"table"`
	Sent         int    `json:"sent"`
	Acknowledged int    `json:"acknowledged"`
	// Lost were acknowledged and are not there; Doubled are there more than once.
	Lost    int `json:"lost"`
	Doubled int `json:"doubled"`
	// Unanswered were not acknowledged and are there all the same.
	Unanswered int `json:"unanswered"`
	// LostFrom and LostTo are the lowest and the highest number that is lost.
	LostFrom uint32 `json:"lost_from,omitempty"`
	LostTo   uint32 `json:"lost_to,omitempty"`
	Error    string `json:"error,omitempty"` // why the table could not be read
	Left     string `json:"left,omitempty"`  // why the table could not be dropped
}

// Finish compares what is in the table with what was acknowledged, and drops it; nil if
// nothing was written. It asks the server to which the name leads then.
func (w *Watch) Finish(ctx context.Context) *Written {
	x := w.writer
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	r := &Written{Table: x.table, Sent: int(x.sent), Error: x.bug}
	for _, ok := range x.acks {
		if ok {
			r.Acknowledged++
		}
	}
	there := map[uint32]int{}
	err := x.settle(ctx, func(ctx context.Context, c *mysqlconn.Conn) error { return x.read(ctx, c, there) })
	if err != nil {
		r.Error = cut(mysqlconn.Text(err))
	} else {
		x.compare(r, there)
	}
	if err := x.settle(ctx, func(ctx context.Context, c *mysqlconn.Conn) error {
		_, err := c.Query(ctx, "DROP TABLE "+x.table)
		return err
	}); err != nil {
		r.Left = cut(mysqlconn.Text(err))
	}
	return r
}

// read counts the numbers that are in the table.
func (x *writer) read(ctx context.Context, c *mysqlconn.Conn, there map[uint32]int) error {
	for last := "0"; ; {
		r, err := c.Query(ctx, fmt.Sprintf("SELECT id, n FROM %s WHERE id > %s ORDER BY id LIMIT %d", x.table, last, page))
		if err != nil {
			return err
		}
		for row := range r.Rows() {
			id, err := strconv.ParseUint(row.Text("id"), 10, 64)
			n, err2 := strconv.ParseUint(row.Text("n"), 10, 32)
			if err != nil || err2 != nil {
				return fmt.Errorf("the table holds what was not written")
			}
			last = strconv.FormatUint(id, 10)
			there[uint32(n)]++
		}
		if r.Len() < page || len(there) > int(x.sent) {
			return nil
		}
	}
}

func (x *writer) compare(r *Written, there map[uint32]int) {
	for n := uint32(1); n <= x.sent; n++ {
		switch count := there[n]; {
		case count == 0 && x.acks[n-1]:
			r.Lost++
			if r.LostFrom == 0 {
				r.LostFrom = n
			}
			r.LostTo = n
		case count > 0 && !x.acks[n-1]:
			r.Unanswered++
		}
		if there[n] > 1 {
			r.Doubled++
		}
	}
}
