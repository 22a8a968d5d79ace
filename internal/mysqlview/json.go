package mysqlview

import (
	"io"

	"rtrail/internal/document"
)

// JSON prints an object per row and line. What is not known is null.
type JSON struct {
	Out     io.Writer
	Packets bool // response times come from packets; without, they have no fields
}

// Row prints one.
func (j *JSON) Row(r *Row) error {
	var o document.Object
	o.Add("at", r.At)
	o.Add("seconds", r.Seconds)
	o.Add("server", r.Server)
	o.Add("state", r.State)
	if !r.Since.IsZero() {
		o.Add("since", r.Since)
	}
	if r.Error != "" {
		o.Add("error", r.Error)
	}
	if r.Waited > 0 {
		o.Add("waited_s", r.Waited.Seconds())
	}
	if r.Answer >= 0 {
		o.Add("answer_s", r.Answer.Seconds())
	}
	for _, c := range columns {
		if c.get != nil && (c.kind != packets || j.Packets) {
			o.Add(c.key, document.Number(c.get(r)))
		}
	}
	o.Add("row_locks_waiting", document.Number(r.RowLocksWaiting))
	if j.Packets {
		o.Add("rt_max_s", document.Number(r.RTMost))
		o.Add("rt_requests", document.Number(r.RTCount))
	}
	if p := r.Pool; p != nil {
		o.Add("pool_worst_group", map[string]int64{
			"group": int64(p.Group), "groups": int64(p.Groups), "queued": p.Queued, "active": p.Active, "threads": p.Threads,
		})
	}
	if len(r.Blockers) > 0 {
		o.Add("blockers", blockersJSON(r.Blockers))
	}
	if len(r.Replicas) > 0 {
		o.Add("replication", replicasJSON(r.Replicas))
	}
	return document.JSONLine(j.Out, o)
}
