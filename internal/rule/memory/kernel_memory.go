package memory

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var kernelShare = rule.Threshold{Name: "kernel-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
	Reason: "Memory of the kernel itself that it cannot free, as a share of the host's. Ordinary hosts need a few percent; above this share it is among the reasons why memory is short, and no process shows it."}

// kernelMemory tells how much the kernel itself holds, where that is much.
func kernelMemory(v *view.View) []rule.Evidence {
	rows := view.Rows[recording.MemorySample](v)
	if len(rows) == 0 {
		return nil
	}
	m := rows[len(rows)-1]
	slabs, tables := max(m.SUnreclaim, 0), max(m.PageTables, 0)
	held, limit := float64(slabs)+float64(tables), kernelShare.Value*float64(m.Total)
	if limit <= 0 || held < limit {
		return nil
	}
	return []rule.Evidence{{Metric: metric.MemoryKernel, Value: held, Limit: rule.Limit(limit),
		What: rule.T("the kernel itself holds %s that it cannot free: %s in slab caches, %s in page tables", unit.Bytes(held), unit.Bytes(slabs), unit.Bytes(tables))}}
}
