package mysqlview

import (
	"encoding/json"
	"io"
	"math"
	"time"
)

// JSON prints an object per row and line. What is not known is null.
type JSON struct {
	Out     io.Writer
	Packets bool // response times come from packets; without, they have no fields
}

// Row prints one.
func (j *JSON) Row(r *Row) error {
	b := []byte(`{"at":`)
	add := func(key string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte("null")
		}
		if key != "" {
			b = append(b, `,"`+key+`":`...)
		}
		b = append(b, text...)
	}
	add("", r.At.Format(time.RFC3339Nano))
	add("seconds", r.Seconds)
	add("server", r.Server)
	add("state", r.State)
	if !r.Since.IsZero() {
		add("since", r.Since.Format(time.RFC3339Nano))
	}
	if r.Error != "" {
		add("error", r.Error)
	}
	if r.Waited > 0 {
		add("waited_s", r.Waited.Seconds())
	}
	number := func(key string, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			add(key, nil)
			return
		}
		add(key, v)
	}
	if r.Answer >= 0 {
		number("answer_s", r.Answer.Seconds())
	}
	for _, c := range columns {
		if c.get != nil && (c.kind != packets || j.Packets) {
			number(c.key, c.get(r))
		}
	}
	number("row_locks_waiting", r.RowLocksWaiting)
	if j.Packets {
		number("rt_max_s", r.RTMost)
		number("rt_requests", r.RTCount)
	}
	if p := r.Pool; p != nil {
		add("pool_worst_group", map[string]int64{
			"group": int64(p.Group), "groups": int64(p.Groups), "queued": p.Queued, "active": p.Active, "threads": p.Threads,
		})
	}
	if len(r.Blockers) > 0 {
		add("blockers", blockersJSON(r.Blockers))
	}
	if len(r.Replicas) > 0 {
		add("replication", replicasJSON(r.Replicas))
	}
	_, err := j.Out.Write(append(b, "}\n"...))
	return err
}
