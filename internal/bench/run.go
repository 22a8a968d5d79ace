// Package bench holds the words of load tests: a run is one load at one level, once, with the
// numbers of the host in exactly its seconds. A matrix of runs is a file of lines.
package bench

import (
	"encoding/json"
	"math"
	"time"

	"rtrail/internal/document"
)

// Run is one step of a load test. What is not known is NaN, null in JSON.
type Run struct {
	Environment string `json:"environment"` // what is compared: a host, a server, a setting
	Scenario    string `json:"scenario"`    // point_select
	// Threads is how many clients of a closed loop ask at a time; 0: an open loop, at Rate.
	Threads int             `json:"threads"`
	Rate    document.Number `json:"rate_per_second"` // that the load was to have; NaN: as fast as it goes
	Repeat  int             `json:"repeat"`          // from 1
	Began   time.Time       `json:"began"`           // of what is measured: the warm-up is before
	Ended   time.Time       `json:"ended"`

	Load Load `json:"load"` // what the load generator says
	// Alone is Load, of an open loop, without the time a request waited to be sent.
	Alone Load  `json:"alone"`
	Wire  Load  `json:"wire"` // what packets say of the same requests: a transaction is a request
	Host  Host  `json:"host"` // of the server
	Costs Costs `json:"costs"`
	// Generator is the CPU time of the load generator, in CPUs.
	Generator document.Number `json:"generator_cpus"`

	// Baseline is how near parts of the host were to what they could do, the nearest first.
	Baseline  []Near      `json:"of_baseline"`
	Saturated []Saturated `json:"saturated"` // what limits it, the most important first
	// Invalid is why nothing can be concluded from the run: a hot generator, a server that
	// went away, errors.
	Invalid []string `json:"invalid"`
	// Unfinished says that the step ended before its time. It is made again when the matrix
	// goes on.
	Unfinished bool `json:"unfinished"`
	// Notes are what is worth knowing, and takes nothing away from the run.
	Notes []string `json:"notes"`
	// Refused says that the server let no more clients in. The run is invalid and unfinished, and
	// Saturated says only that.
	Refused bool `json:"refused"`
	// Settings is what runs that are compared must have in common, by name: rows, seconds, and
	// what else makes the load.
	Settings map[string]string `json:"settings"`
	// Properties is what the environment is, by name, and what is compared: server version,
	// flush method, disk, CPU model, memory. They may differ.
	Properties map[string]string `json:"properties"`
	// Recording is a folder with the evidence, below that of the file; "": none.
	Recording string `json:"recording"`
	// Folder is that of the file, where that is what Open was given; "": it was a file.
	Folder string `json:"-"`
}

// Load is what clients got, over the measured seconds.
type Load struct {
	TPS    document.Number `json:"transactions_per_second"` // without those that failed
	QPS    document.Number `json:"queries_per_second"`
	Errors document.Number `json:"errors"` // in all
	// Times of a transaction, in milliseconds. Of an open loop they count from when it was to
	// begin.
	Mean document.Number `json:"mean_ms"`
	P50  document.Number `json:"p50_ms"`
	P95  document.Number `json:"p95_ms"`
	P99  document.Number `json:"p99_ms"`
	Max  document.Number `json:"max_ms"`
}

// Host is what a host did, as averages over the measured seconds. CPU time is in CPUs: 2 is
// two CPUs that are busy all the time.
type Host struct {
	CPUs    document.Number `json:"cpus"` // that there are, or that the server may use
	User    document.Number `json:"user_cpus"`
	System  document.Number `json:"system_cpus"`
	Softirq document.Number `json:"softirq_cpus"`
	IOWait  document.Number `json:"iowait_cpus"`
	Util    document.Number `json:"disk_utilization_pct"` // of the busiest disk
	Samples int             `json:"samples"`
}

// Costs is what an operation costs the host: a transaction.
type Costs struct {
	CPU      document.Number `json:"cpu_us"` // all of the host but idle and waiting
	Switches document.Number `json:"context_switches"`
	Read     document.Number `json:"read_bytes"` // of disks
	Written  document.Number `json:"written_bytes"`
	Sent     document.Number `json:"sent_bytes"` // by interfaces, loopback included
}

// Near is how near something was to what it did when rtrail bench baseline measured it.
type Near struct {
	Thing    string          `json:"thing"` // vda, eth0, HTTP
	What     string          `json:"what"`  // requests, bytes, sent, received
	Share    document.Number `json:"share"` // 1: as much as it could do then
	Measured time.Time       `json:"measured"`
}

// Saturated is a resource or a rule's finding that holds a run up.
type Saturated struct {
	Rule       string   `json:"rule"`
	Subject    string   `json:"subject"`
	Confidence string   `json:"confidence"`
	Headline   string   `json:"headline"`
	Proof      []string `json:"proof"`
}

var unknown = document.Number(math.NaN())

// UnknownLoad is a load of which nothing is known.
func UnknownLoad() Load {
	return Load{unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown}
}

// UnknownHost is a host of which nothing is known.
func UnknownHost() Host { return Host{unknown, unknown, unknown, unknown, unknown, unknown, 0} }

// UnknownCosts are costs of which nothing is known.
func UnknownCosts() Costs { return Costs{unknown, unknown, unknown, unknown, unknown} }

// NewRun is a run of which nothing is known.
func NewRun() Run {
	r := Run{Rate: unknown, Load: UnknownLoad(), Alone: UnknownLoad(), Wire: UnknownLoad(), Host: UnknownHost(), Costs: UnknownCosts(), Generator: unknown}
	r.fill()
	return r
}

// fill makes lists of what is nil: an empty one is [] in JSON, not null.
func (r *Run) fill() {
	for _, list := range []*[]string{&r.Invalid, &r.Notes} {
		if *list == nil {
			*list = []string{}
		}
	}
	for _, names := range []*map[string]string{&r.Settings, &r.Properties} {
		if *names == nil {
			*names = map[string]string{}
		}
	}
	if r.Baseline == nil {
		r.Baseline = []Near{}
	}
	if r.Saturated == nil {
		r.Saturated = []Saturated{}
	}
	for i := range r.Saturated {
		if s := &r.Saturated[i]; s.Proof == nil {
			s.Proof = []string{}
		}
	}
}

// UnmarshalJSON implements json.Unmarshaler: what a file lacks is unknown.
func (r *Run) UnmarshalJSON(b []byte) error {
	type plain Run
	p := plain(NewRun())
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	*r = Run(p)
	r.fill()
	return nil
}

// Seconds is how long the measured part took.
func (r *Run) Seconds() float64 { return r.Ended.Sub(r.Began).Seconds() }
