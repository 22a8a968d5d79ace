package report

import (
	"fmt"

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
	}
}
