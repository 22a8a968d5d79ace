// Package report words a verdict: as a document, and in the shape of its JSON form.
// It finds nothing out by itself.
package report

import (
	"math"
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// FormatVersion is the version of the JSON form. It grows when a field changes
// its meaning or goes away; new fields do not change it.
const FormatVersion = 1

// Document is the JSON form of a verdict; docs/verdict.schema.json describes
// it. Numbers that are not known or not finite are null.
type Document struct {
	Format    int             `json:"format"`
	Tool      string          `json:"tool"`
	Host      Host            `json:"host"`
	Window    Window          `json:"window"`
	Vitals    Vitals          `json:"vitals"`
	Findings  []Finding       `json:"findings"`
	Healthy   []string        `json:"healthy"`
	Unjudged  []Unjudged      `json:"unjudged"`
	Settings  []audit.Setting `json:"settings"`
	NotJudged []NotJudged     `json:"not_judged"`
	Unseen    []Unseen        `json:"unseen"`
	Probes    []Probe         `json:"probes"`
	Waits     [][]Link        `json:"who_waits_for_whom,omitempty"`
	Time      []ProcessTime   `json:"where_the_time_went"`
	OffCPU    []OffCPU        `json:"what_threads_wait_for,omitempty"`
	Captures  []Capture       `json:"captures"`
	Notes     []string        `json:"notes"`

	Thresholds []Threshold `json:"thresholds,omitempty"`
}

// Capture is a capture of packets that the verdict stands on.
type Capture struct {
	Source      string    `json:"source"`
	Point       string    `json:"point,omitempty"`
	First       time.Time `json:"first"`
	Last        time.Time `json:"last"`
	Packets     int64     `json:"packets"`
	Bytes       int64     `json:"bytes"`
	Connections int64     `json:"connections"`
	Dropped     *int64    `json:"dropped"` // null: nobody counted
	MissedBytes int64     `json:"missed_bytes"`
	Note        string    `json:"note,omitempty"`
}

// Host says on which machine the evidence was taken.
type Host struct {
	Name            string     `json:"name"`
	OS              string     `json:"os"`
	Kernel          string     `json:"kernel"`
	Arch            string     `json:"arch"`
	CPUs            int        `json:"cpus"`
	MemoryBytes     int64      `json:"memory_bytes"`
	Boot            *time.Time `json:"boot"`
	CgroupVersion   string     `json:"cgroup_version"`
	Root            bool       `json:"root"`
	Container       bool       `json:"container"`
	DelayAccounting bool       `json:"delay_accounting"`
}

// Window is the time that was judged.
type Window struct {
	Start       time.Time `json:"start"`
	End         time.Time `json:"end"`
	Seconds     float64   `json:"seconds"`
	Interrupted bool      `json:"interrupted"`
}

// Finding is one cause, or, inside Explains, a symptom of it.
type Finding struct {
	Rank       int        `json:"rank,omitempty"` // from 1; symptoms have none
	Rule       string     `json:"rule"`
	Formerly   []string   `json:"formerly,omitempty"` // IDs of the rule in earlier versions
	Title      string     `json:"title"`
	Subject    Subject    `json:"subject"`
	Confidence string     `json:"confidence"`
	Lossy      bool       `json:"lossy"`
	Impact     Impact     `json:"impact"`
	Headline   string     `json:"headline"`
	Evidence   []Evidence `json:"evidence"`
	Fixes      []Fix      `json:"fixes"`
	Explains   []Finding  `json:"explains"`
	Culprit    *Subject   `json:"culprit,omitempty"` // whose work makes the others wait, where it is not the subject
	Victims    []Victim   `json:"victims,omitempty"` // of whom it was seen what they lose
	Notes      []string   `json:"notes"`             // symptoms in words, without a finding of their own
}

// Victim is somebody who was seen to lose by a fault.
type Victim struct {
	Subject  Subject         `json:"subject"`
	Lost     string          `json:"lost"`
	TimeLost document.Number `json:"time_lost_per_second"` // null: not known in seconds
}

// Link is somebody who waits for the next one of a chain.
type Link struct {
	Subject   Subject         `json:"subject"`
	Name      string          `json:"name"`
	Processes int             `json:"processes,omitempty"` // that wait, if several
	For       string          `json:"for"`
	Waiting   document.Number `json:"waiting"` // what it waited for at a time; null: not known
	Longest   document.Number `json:"longest_seconds"`
}

// Subject is whom a finding is about. Fields that do not apply are left out.
type Subject struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Key    string `json:"key,omitempty"` // HOST/KIND/NAME, the same after a restart
	PID    int32  `json:"pid,omitempty"`
	Detail string `json:"detail,omitempty"`
	Port   uint16 `json:"port,omitempty"`
	Cgroup string `json:"cgroup,omitempty"`
	NetNS  uint64 `json:"netns,omitempty"`
}

// Impact is what a fault costs; null where it could not be measured.
type Impact struct {
	TimeLost document.Number `json:"time_lost_per_second"`
	Share    document.Number `json:"share"`
	Text     string          `json:"text"`
}

// Evidence is one number that speaks for a finding. Source says which file,
// counter or message it was read from.
type Evidence struct {
	Metric   string          `json:"metric"`
	Formerly []string        `json:"formerly,omitempty"`
	What     string          `json:"what"`
	Value    document.Number `json:"value"`
	Unit     string          `json:"unit"`
	Limit    document.Number `json:"limit"`
	Source   string          `json:"source"`
	Check    string          `json:"check"`
	Lossy    bool            `json:"lossy"`
	Counters bool            `json:"counters"`
}

// Fix is something the user can do, with its price.
type Fix struct {
	Text     string `json:"text"`
	Command  string `json:"command"`
	Tradeoff string `json:"tradeoff"`
}

// Unjudged is a counter of refused or failed work that rose in the window, and
// that no finding accounts for.
type Unjudged struct {
	Counter   string          `json:"counter"`
	Where     string          `json:"where"` // "" for the host itself
	Subject   Subject         `json:"subject"`
	Count     document.Number `json:"count"`
	PerSecond document.Number `json:"per_second"`
	Unit      string          `json:"unit"`
	Meaning   string          `json:"meaning"` // of one count
	Detail    string          `json:"detail"`
	Resource  string          `json:"resource"`
	Rules     []string        `json:"rules"` // that look at it, and found nothing
	Source    string          `json:"source"`
	Check     string          `json:"check"`
}

// NotJudged is a rule that lacked evidence.
type NotJudged struct {
	Rule  string `json:"rule"`
	Title string `json:"title"`
	Needs string `json:"needs"`
	Why   string `json:"why"`
	How   string `json:"how"`
}

// Unseen is something a probe could not see although it ran.
type Unseen struct {
	Probe string `json:"probe"`
	What  string `json:"what"`
	Count int64  `json:"count"`
	Of    int64  `json:"of,omitempty"`
	Why   string `json:"why"`
	How   string `json:"how"`
}

// Probe is one source of evidence over the whole window.
type Probe struct {
	Name       string          `json:"name"`
	OK         bool            `json:"ok"`
	Runs       int             `json:"runs"`
	Seconds    document.Number `json:"seconds"`
	CPUSeconds document.Number `json:"cpu_seconds"`
	Rows       int64           `json:"rows"`
	Lost       int64           `json:"lost"`
	Late       int             `json:"late"`
	Error      string          `json:"error"`
	How        string          `json:"how"`
	Programs   []Program       `json:"programs,omitempty"`
}

// Program is what a BPF program of a probe did over the whole window.
type Program struct {
	Name        string          `json:"name"`
	Tracepoint  string          `json:"tracepoint"`
	Runs        int64           `json:"runs"`
	Seconds     document.Number `json:"seconds"`
	CoreShare   document.Number `json:"core_share"`
	TracedShare document.Number `json:"traced_share"`
	Stopped     bool            `json:"stopped"`
}

// OffCPU is what kept threads of one process from running.
type OffCPU struct {
	Process   string          `json:"process"`
	PID       int32           `json:"pid"`
	Thread    string          `json:"thread"`
	State     string          `json:"state"`
	Waiting   document.Number `json:"waiting"`
	Longest   document.Number `json:"longest_seconds"`
	Stack     string          `json:"stack"`
	UserStack string          `json:"user_stack"`
	CalledBy  string          `json:"called_by"`
	Waker     string          `json:"waker"`
	WakerPID  int32           `json:"waker_pid"`
	WakerIn   string          `json:"waker_in"`
	Interrupt string          `json:"interrupt"`
}

// ProcessTime splits the window of one process; the shares sum to about 1.
type ProcessTime struct {
	Name     string          `json:"name"`
	PID      int32           `json:"pid"`
	Threads  int             `json:"threads"`
	Samples  int             `json:"samples"`
	OnCPU    document.Number `json:"on_cpu"`
	Runnable document.Number `json:"runnable"`
	Disk     document.Number `json:"disk"`
	Lock     document.Number `json:"lock"`
	Network  document.Number `json:"network"`
	Sleeping document.Number `json:"sleeping"`
}

// NewDocument gives the verdict the shape of its JSON form.
func NewDocument(v verdict.Verdict) Document {
	return Document{
		Format: FormatVersion,
		Tool:   v.Tool,
		Host:   newHost(v.Host),
		Window: Window{
			Start: v.Window.Start, End: v.Window.End, Interrupted: v.Window.Interrupted,
			Seconds: v.Window.End.Sub(v.Window.Start).Seconds(),
		},
		Vitals:   newVitals(v.Vitals),
		Findings: each(v.Findings, newFinding),
		Healthy:  each(v.Healthy, same),
		Unjudged: each(v.Unjudged, newUnjudged),
		Settings: audit.Settings(v.Settings),
		NotJudged: each(v.NotJudged, func(n verdict.NotJudged) NotJudged {
			return NotJudged{Rule: n.Rule, Title: n.Title, Needs: n.Needs, Why: n.Why, How: n.How.String()}
		}),
		Unseen: each(v.Unseen, func(u verdict.Unseen) Unseen {
			return Unseen{Probe: u.Probe, What: u.What, Count: u.Count, Of: u.Of, Why: u.Why, How: u.How.String()}
		}),
		Probes: each(v.Probes, func(p verdict.ProbeHealth) Probe {
			return Probe{
				Name: p.Name, OK: p.OK, Runs: p.Runs, Seconds: document.Number(p.Seconds), CPUSeconds: document.Number(p.CPU),
				Rows: p.Rows, Lost: p.Lost, Late: p.Late, Error: p.Error, How: p.Remedy.String(),
				Programs: each(p.Programs, func(c verdict.ProgramCost) Program {
					return Program{Name: c.Name, Tracepoint: c.Tracepoint, Runs: c.Runs, Seconds: document.Number(c.Seconds), CoreShare: document.Number(c.Share), TracedShare: document.Number(c.Traced), Stopped: c.Stopped}
				}),
			}
		}),
		Waits: chains(v.Waits),
		Time: each(v.Time, func(t verdict.ProcessTime) ProcessTime {
			return ProcessTime{
				Name: t.Name, PID: t.PID, Threads: t.Threads, Samples: t.Samples,
				OnCPU: document.Number(t.OnCPU), Runnable: document.Number(t.Runnable), Disk: document.Number(t.Disk),
				Lock: document.Number(t.Lock), Network: document.Number(t.Network), Sleeping: document.Number(t.Sleeping),
			}
		}),
		OffCPU: each(v.OffCPU, func(o view.OffCPU) OffCPU {
			return OffCPU{Process: o.Process, PID: o.PID, Thread: o.Thread, State: o.State, Waiting: document.Number(o.Mean), Longest: document.Number(o.Longest.Seconds()),
				Stack: o.Stack, UserStack: o.UserStack, CalledBy: o.Caller, Waker: o.Waker, WakerPID: o.WakerPID, WakerIn: o.WakerIn, Interrupt: o.Interrupt}
		}),
		Captures: each(v.Captures, capture), Notes: each(v.Notes, same), Thresholds: each(v.Thresholds, NewThreshold),
	}
}

func newHost(h recording.Host) Host {
	return Host{
		Name: h.Name, OS: h.OS, Kernel: h.Kernel, Arch: h.Arch, CPUs: h.CPUs, MemoryBytes: h.MemoryBytes, Boot: moment(h.Boot),
		CgroupVersion: h.CgroupVersion, Root: h.Root, Container: h.Container, DelayAccounting: h.DelayAcct,
	}
}

func newFinding(f verdict.Finding) Finding {
	var culprit *Subject
	if f.Culprit != nil {
		s := newSubject(*f.Culprit, "")
		culprit = &s
	}
	return Finding{
		Culprit: culprit,
		Victims: each(f.Victims, func(x rule.Victim) Victim {
			return Victim{Subject: newSubject(x.Who, ""), Lost: x.Lost.String(), TimeLost: measured(x.Seconds)}
		}),
		Rank: f.Rank, Rule: f.Rule, Formerly: f.Formerly, Title: f.Title, Subject: newSubject(f.Subject, f.Key.String()),
		Confidence: f.Confidence.String(), Lossy: f.Lossy,
		Impact: Impact{
			TimeLost: measured(f.Impact.TimeLost), Share: measured(f.Impact.Share),
			Text: f.Impact.Text.String(),
		},
		Headline: f.Headline.String(),
		Evidence: each(f.Evidence, newEvidence),
		Fixes: each(f.Fixes, func(x rule.Fix) Fix {
			return Fix{Text: x.Text.String(), Command: x.Command.String(), Tradeoff: x.Tradeoff}
		}),
		Explains: each(f.Explains, func(x verdict.Finding) Finding {
			x.Rank = 0
			return newFinding(x)
		}),
		Notes: each(f.Notes, rule.Text.String),
	}
}

func newSubject(e view.Entity, key string) Subject {
	return Subject{Kind: e.Kind, Name: e.Name, Key: key, PID: e.PID, Detail: e.Detail, Port: e.Port, Cgroup: e.Cgroup, NetNS: e.NetNS}
}

// chains are null without any.
func chains(list []verdict.Chain) (out [][]Link) {
	for _, c := range list {
		links := make([]Link, len(c))
		for i, l := range c {
			links[i] = Link{Subject: newSubject(l.Who, l.Key.String()), Name: l.Words, For: l.For, Waiting: measured(l.Mean), Longest: measured(l.Longest.Seconds())}
			if l.Processes > 1 {
				links[i].Processes = l.Processes
			}
			if l.For == "" && i < len(c)-1 {
				links[i].For = "answers"
			}
		}
		out = append(out, links)
	}
	return out
}

func newUnjudged(c refusal.Risen) Unjudged {
	return Unjudged{
		Counter: c.Name, Where: c.Scope.Where, Subject: newSubject(c.Scope.Subject, ""), Count: document.Number(c.Count), PerSecond: document.Number(c.Rate), Unit: c.Unit,
		Meaning: c.Means, Detail: c.Detail, Resource: c.Resource, Rules: each(c.Rules, same), Source: c.File, Check: c.Check().String(),
	}
}

func newEvidence(e rule.Evidence) Evidence {
	limit := math.NaN()
	if e.Limit != nil {
		limit = *e.Limit
	}
	return Evidence{
		Metric: e.Metric.ID, Formerly: e.Metric.Formerly, What: e.What.String(), Value: document.Number(e.Value), Unit: e.Metric.Unit, Limit: document.Number(limit),
		Source: e.Metric.Source, Check: e.Command().String(), Lossy: e.Lossy, Counters: e.FromCounters(),
	}
}

// measured is null for impacts that could not be measured, which are 0.
func measured(v float64) document.Number {
	if v == 0 {
		v = math.NaN()
	}
	return document.Number(v)
}

// moment is null for a time that is not known.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func same(s string) string { return s }

// each maps a list and never gives nil, so that an empty list is [] in JSON.
func each[A, B any](list []A, to func(A) B) []B {
	out := make([]B, 0, len(list))
	for _, a := range list {
		out = append(out, to(a))
	}
	return out
}

func capture(c verdict.Capture) Capture {
	out := Capture{
		Source: c.Source, Point: c.Point, First: c.First, Last: c.Last, Packets: c.Packets, Bytes: c.Bytes,
		Connections: c.Connections, MissedBytes: c.Missed, Note: c.Note,
	}
	if c.Dropped >= 0 {
		out.Dropped = &c.Dropped
	}
	return out
}
