// Package rule defines what a judgement is: a rule looks at a view of the
// evidence and says which faults it finds, about whom, how sure it is, what it
// costs, what proves it and what to do.
//
// Rules live in one folder per domain, one file per rule, its page beside it.
package rule

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Rule is one kind of fault. The literal is its documentation.
type Rule struct {
	ID string // "net/accept-queue-full"
	// Formerly are IDs that it had in earlier versions; they still find it.
	Formerly []string
	Title    string            // the fault in a few words, for lists
	Plural   string            // what several of its findings say together, after their number: "disks fail"
	Resource string            // what a host without this fault is healthy in: "CPU", "memory", "disks", ...
	Needs    []recording.Table // without rows in all of them the rule is not judged
	// NeedsAny, if there are any, are tables of which one must have rows: a rule
	// that two kinds of evidence can prove judges by what is there.
	NeedsAny []recording.Table
	// Columns lists what it cannot do without of its tables ("disks.busy_ns"; of the table of
	// protocols counters, as nstat names them), for sources that tell a table in part:
	// reports of other tools. A rule that lists none of such a table is not judged by it.
	Columns []string
	// Levels: it judges how much there is of something, so that one look is enough for a hint
	// (recording.ProbeInfo.Once). Others want to see what changes.
	Levels bool
	// BlindWithout lists what probes may note as unseen (recording.UnseenNote.What)
	// and without which silence of this rule says nothing.
	BlindWithout []recording.Sight
	// Seen says whether there was any of what the rule judges, and enough of it
	// that the fault would have shown. Where there was not, silence of the rule is
	// no health, and nothing is amiss either: a host that looks no names up. nil:
	// rows in the tables say so.
	Seen     func(*view.View) bool
	Explains []string // IDs of rules whose findings may be symptoms of this one
	// HoldsUp are IDs of rules whose findings are symptoms of this one if the subject of
	// those waits for somebody (Finding.Behind) who waits for the disk of this one.
	HoldsUp []string
	// Delays are IDs of rules whose findings are about time that somebody waited, or what was
	// lost. They are symptoms of a finding of this rule only where Delayed says that it takes a
	// material part of that, not because both happen to the same subject.
	Delays  []string
	Delayed func(v *view.View, f, symptom *Finding) bool
	// Refutes names resources of other rules that cannot be called healthy beside a
	// finding of this one, whatever their own rules found: where connections are
	// refused, connects are not healthy because the others were fast. A symptom
	// that could be there and is not does not belong here: its absence is worth
	// knowing.
	Refutes []string
	// Thresholds are the numbers it compares evidence with, also those it shares.
	Thresholds []*Threshold
	Page       string // Markdown for `rtrail explain ID`; see WithPages
	Detect     func(*view.View) ([]Finding, error)
}

// WithPages gives every rule its page: the page of "net/resets" is resets.md. A rule
// without one is a mistake in its package.
func WithPages(pages fs.FS, rules ...Rule) []Rule {
	for i, r := range rules {
		page, err := fs.ReadFile(pages, path.Base(r.ID)+".md")
		if err != nil {
			panic(fmt.Sprintf("rule %s has no page in the folder of its package: %v", r.ID, err))
		}
		rules[i].Page = string(page)
	}
	return rules
}

// Confidence says how the cause is known.
type Confidence int

const (
	// Possible: a limit is near, or two things move together.
	Possible Confidence = iota + 1
	// Likely: the fault's fingerprint is there.
	Likely
	// Certain: the mechanism itself was observed in the window.
	Certain
)

func (c Confidence) String() string {
	return [...]string{"unknown", "possible", "likely", "certain"}[min(max(int(c), 0), 3)]
}

// Impact is what the fault costs. TimeLost is preferred where it can be
// measured; Share otherwise.
type Impact struct {
	// TimeLost is seconds that somebody waited, per second of the window: 2.0
	// means two waiters all the time. 0 when not measurable.
	TimeLost float64
	// Share of what the fault took away, 0 to 1. 0 when TimeLost is given.
	Share float64
	// Unmeasured: nothing in the evidence tells how much it is. TimeLost and Share are 0
	// then, and Text says what is lost.
	Unmeasured bool
	// Text says it in words: "31 % of connects".
	Text Text
}

// Weight makes impacts of both kinds comparable, from 0 to 1. A share is its
// own weight. Of time lost, the weight is the part of the time a request would
// have spent waiting if one second of work came with it: one second lost per
// second weighs as much as half of the requests lost.
func (i Impact) Weight() float64 {
	return max(i.TimeLost/(1+i.TimeLost), min(i.Share, 1))
}

// Evidence is one number that speaks for the finding.
type Evidence struct {
	Metric *metric.Metric // what it is: its name, unit and source
	What   Text           // the number in a sentence
	Value  float64        // the number itself, in the metric's unit
	Limit  *float64       // the limit it broke, if there is one
	// Check is an ordinary command with which a sceptic sees the same; none: that
	// of the metric.
	Check    shell.Command
	Lossy    bool // read from a source that lost rows in the window
	Counters bool // here made of counters, though the metric may be a gauge
}

// Command is the ordinary command with which a sceptic sees the same.
func (e Evidence) Command() shell.Command {
	if e.Check.Empty() {
		return e.Metric.Check
	}
	return e.Check
}

// FromCounters says whether it is a delta of counters over the window, not a gauge.
func (e Evidence) FromCounters() bool { return e.Counters || e.Metric.Counter }

// Fix is something the user can do, with its price.
type Fix struct {
	Text     Text
	Command  shell.Command // may be none
	Tradeoff string        // what it costs
	// Loosens: its command raises or removes limits, and so holds nobody back.
	Loosens bool
}

// Finding is one fault found in one subject.
type Finding struct {
	Rule       string      // set by the verdict
	Subject    view.Entity // whom it is about
	Confidence Confidence
	Impact     Impact
	Headline   Text
	// Plural is what this and findings like it say together, after their number, where
	// the rule knows several kinds; "": the rule's.
	Plural   string
	Evidence []Evidence
	Fixes    []Fix
	// Affects lists subjects that suffer from this fault; findings about them
	// that the rule Explains are folded under this one. With AffectsAll every
	// such finding is folded, whoever it is about.
	Affects    []view.Entity
	AffectsAll bool
	// Culprit is whose work makes the others wait, where it is not the subject and was seen:
	// the process that fills a disk's queue. nil: the subject, or nobody is known.
	Culprit *view.Entity
	// Victims are those of whom it was seen what they lose by the fault, who loses most
	// first. The culprit is none.
	Victims []Victim
	// Behind is whom the subject itself waits for, the worst first, where it is not
	// for answers to requests, which the evidence shows for all programs alike.
	Behind []Behind
	// Tree shows who holds up whom within the subject, in short forms in place of the
	// evidence: first the holder, then a line for each that waits.
	Tree []Text
	// Notes are symptoms in words that the finding explains without a rule
	// of their own: "connects of 1.0 s (SYN retransmissions, 214)".
	Notes []Text
}

// Affected says whether somebody has, or suffers from, the fault of a finding.
func (f *Finding) Affected(e view.Entity) bool {
	return f.AffectsAll || f.Subject.Same(e) || slices.ContainsFunc(f.Affects, e.Same)
}

// Victim is somebody whose loss by a fault was seen.
type Victim struct {
	Who     view.Entity
	Lost    Text    // "waits for it 930 ms per second"
	Seconds float64 // lost per second of the window; 0: not known in seconds
}

// Words name the victim and what it loses.
func (x *Victim) Words() Text { return T("%s (%d) %v", x.Who.Name, x.Who.PID, x.Lost) }

// Behind is somebody whom the subject of a finding waits for.
type Behind struct {
	For   string // what is waited for: "row lock"
	Who   view.Entity
	Words string // names who it is, and says what it does: "connection 4 (batch@10.0.0.7), which sleeps"
	// Whole says that what its process waits for, it waits for: as far as is seen the
	// process does nothing else.
	Whole bool
	// Ahead are those who wait for the subject meanwhile, by what that tells of them, the
	// longest wait first.
	Ahead []Ahead
	// Mean is how many of the subject wait for it at a time, and Longest how long one did;
	// 0: not known.
	Mean    float64
	Longest time.Duration
	// TID is the thread that it is, if that was seen to wait for a disk, and Call the system
	// call in which it does; 0 and "" otherwise.
	TID  int32
	Call string
}

// Ahead is somebody who waits for the subject of a finding.
type Ahead struct {
	Who     view.Entity
	Words   string        // names it: "2 connections of app@10.0.0.8: 5, 6"
	Longest time.Duration // 0: not known
}

// NotJudged is returned by Detect when evidence the rule needs is missing
// although its tables have rows.
type NotJudged struct {
	Needs string // "root, to read I/O of other users' processes"
	Why   string
	How   shell.Advice
}

func (e *NotJudged) Error() string { return "needs " + e.Needs + ": " + e.Why }

// Limit makes a pointer for Evidence.Limit.
func Limit(v float64) *float64 { return &v }
