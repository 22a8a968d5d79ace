package report

import (
	"fmt"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// vitals words how busy the host was: "CPU 7 %", "load 0.9". What was not read is
// left out.
func vitals(v verdict.Vitals) (words []string) {
	add := func(value float64, format string, shown any) {
		if view.Known(value) {
			words = append(words, fmt.Sprintf(format, shown))
		}
	}
	add(v.CPU, "CPU %v", unit.Share(v.CPU))
	add(v.Load, "load %.1f", v.Load)
	add(v.MemoryFree, "memory %v free", unit.Share(v.MemoryFree))
	add(v.Disk, "disk %v", unit.Share(v.Disk))
	add(v.NetworkBytes, "net %v/s", unit.Bytes(v.NetworkBytes))
	for _, s := range v.MySQL {
		add(s.Connected, "MySQL %v connected", unit.Count(s.Connected))
		add(s.Statements, "statements %v", unit.PerSecond(s.Statements))
	}
	for _, l := range v.Logs {
		words = append(words, plural(l.Statements, "statement", "statements")+" logged", unit.Duration(l.Took).String()+" of execution")
	}
	for _, d := range v.Dumps {
		words = append(words, strings.TrimSpace(d.Process+" "+plural(d.Threads, "thread", "threads")), fmt.Sprintf("%s busy", unit.Count(d.Busy)))
	}
	return words
}

// Vitals say how busy the host was in the window; null is what was not read.
type Vitals struct {
	CPU          document.Number `json:"cpu"`
	Load         document.Number `json:"load"`
	MemoryFree   document.Number `json:"memory_free"`
	Disk         document.Number `json:"disk"`
	NetworkBytes document.Number `json:"network_bytes_per_second"`
	MySQL        []MySQLVitals   `json:"mysql"`
	SlowLogs     []LogVitals     `json:"slow_logs,omitempty"`
	Dumps        []DumpVitals    `json:"dumps,omitempty"`
}

// LogVitals are those of a slow query log that was read without its server.
type LogVitals struct {
	Log         string  `json:"log"`
	Statements  int     `json:"statements"`
	TookSeconds float64 `json:"took_seconds"`
}

// DumpVitals are those of a process whose stacks were dumped.
type DumpVitals struct {
	Process string `json:"process"`
	Threads int    `json:"threads"`
	Busy    int    `json:"busy"`
}

// MySQLVitals are those of one server that answered.
type MySQLVitals struct {
	Server     string          `json:"server"`
	Connected  document.Number `json:"connected"`
	Statements document.Number `json:"statements_per_second"`
}

func newVitals(v verdict.Vitals) Vitals {
	return Vitals{
		CPU: document.Number(v.CPU), Load: document.Number(v.Load), MemoryFree: document.Number(v.MemoryFree), Disk: document.Number(v.Disk), NetworkBytes: document.Number(v.NetworkBytes),
		MySQL: each(v.MySQL, func(s verdict.MySQLVitals) MySQLVitals {
			return MySQLVitals{Server: s.Server, Connected: document.Number(s.Connected), Statements: document.Number(s.Statements)}
		}),
		SlowLogs: each(v.Logs, func(l verdict.LogVitals) LogVitals { return LogVitals{l.Log, l.Statements, l.Took.Seconds()} }),
		Dumps:    each(v.Dumps, func(d verdict.DumpVitals) DumpVitals { return DumpVitals{d.Process, d.Threads, d.Busy} }),
	}
}
