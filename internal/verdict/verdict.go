// Package verdict runs the rules over a view, folds symptoms under the cause
// that explains them, ranks what is left, and says what could not be judged.
package verdict

import (
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/recording"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Verdict is the answer. Its JSON form is docs/verdict.schema.json, written by
// package report.
type Verdict struct {
	Tool      string
	Host      recording.Host
	Window    Window
	Findings  []Finding // in rank order
	Healthy   []string  // resources every rule of which was judged and found nothing, not even a hint, and whose health no finding refutes
	NotJudged []NotJudged
	Judged    int // rules that were judged
	// Dim are the IDs of rules that found nothing in evidence with holes.
	Dim []string
	// Unjudged are counters of refused or failed work that rose in the window and
	// that no finding accounts for.
	Unjudged []refusal.Risen
	Unseen   []Unseen // what probes could not see although they ran
	Probes   []ProbeHealth
	Waits    []Chain       // who waits for whom, about the sure findings
	Time     []ProcessTime // where the busiest processes spent the window
	OffCPU   []view.OffCPU // what kept their threads from running longest, where that was traced
	Vitals   Vitals
	Settings []audit.Remark // that may hurt some day, or explain a finding
	Captures []Capture
	Lookups  int64 // queries of DNS in the captures, and answers without one
	// Thresholds that the user set for this run; Notes name them, too.
	Thresholds []rule.Override
	Notes      []string // about the evidence as a whole: "interrupted after 3.2 s"
}

// Window is the time that was judged.
type Window struct {
	Start, End  time.Time
	Interrupted bool // ended before the time asked for
}

// Finding is a rule's finding with its place in the answer.
type Finding struct {
	rule.Finding
	Rank     int
	Title    string
	Key      view.Key  // of its subject
	Formerly []string  // IDs of its rule in earlier versions
	Explains []Finding // findings of other rules folded under this one
	Lossy    bool      // some of its evidence lost rows; confidence was lowered
}

// NotJudged is a rule that could not be judged.
type NotJudged struct {
	Rule  string // ID
	Title string
	// Resource is what silence of the rule would have called healthy.
	Resource string
	Needs    string
	Why      string
	How      shell.Advice
}

// Unseen is something a probe could not see although it ran.
type Unseen struct {
	Probe string
	What  string
	Count int64 // how many of it, in the sample that missed most
	Of    int64 // of how many; 0: not known
	Why   string
	How   shell.Advice
}

// ProbeHealth is one probe over the whole window.
type ProbeHealth struct {
	Name    string
	OK      bool
	Runs    int
	Seconds float64 // wall time, all runs
	CPU     float64 // seconds, all runs
	Rows    int64
	Lost    int64
	// LostFrom are the tables of which rows are known to be missing; LostElsewhere is how many
	// others are.
	LostFrom      []recording.Table
	LostElsewhere int64
	Late          int    // runs over the deadline
	Error         string // last error, or what is missing
	Remedy        shell.Advice
	// Programs are those it had in the kernel, the dearest first.
	Programs []ProgramCost
}

// ProgramCost is what a BPF program did over the whole window.
type ProgramCost struct {
	Name, Tracepoint string
	Runs             int64
	Seconds          float64 // of all CPUs
	Share            float64 // of one core
	Traced           float64 // share of the time in which it counted: 1, or less where slices were chosen at random
	Stopped          bool    // it took more than its budget and was detached
}

// ProcessTime splits the window of one process's threads into what they were
// doing. The shares sum to 1 over the samples of threads that were not idle
// all the time.
type ProcessTime struct {
	Name     string
	PID      int32
	Threads  int // sampled
	Samples  int
	OnCPU    float64
	Runnable float64
	Disk     float64
	Lock     float64
	Network  float64
	Sleeping float64
}
