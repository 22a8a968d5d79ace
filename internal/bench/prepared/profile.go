package prepared

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/recording"
)

// Profile is what the server ran on the CPUs meanwhile.
type Profile struct {
	Samples int64      `json:"samples"`
	CPU     float64    `json:"cpu_s"`     // that the samples stand for
	Hot     []Function `json:"functions"` // innermost ones, those with most samples first
	// Stack is the most frequent one of the first function, innermost first, as far as frame
	// pointers lead.
	Stack []string `json:"stack"`
	// Inserting is the share of samples in which the server writes values into the text of a
	// statement (insert_params), Moving that of samples in which it moves text for it.
	Inserting float64 `json:"inserting_share"`
	Moving    float64 `json:"moving_share"`
}

// Function is one function.
type Function struct {
	Name   string  `json:"name"`
	Module string  `json:"module"`
	Share  float64 `json:"share"`
}

const (
	maxHot    = 5
	maxFrames = 12
	// fewSamples do not tell what a server did.
	fewSamples = 20
)

// Sum sums up what samples tell of a process.
func Sum(rows []recording.OnCPUSample, pid int32) *Profile {
	p := &Profile{Hot: []Function{}, Stack: []string{}}
	samples, stacks := map[Function]int64{}, map[Function]map[string]int64{}
	var inserting, moving int64
	for i := range rows {
		r := &rows[i]
		if r.PID != pid {
			continue
		}
		p.Samples += r.Samples
		p.CPU += float64(r.Samples) * r.Every.Seconds()
		f := Function{Name: cmp.Or(r.Function, "(no name)"), Module: r.Module}
		if samples[f] += r.Samples; stacks[f] == nil {
			stacks[f] = map[string]int64{}
		}
		stacks[f][r.Stack] += r.Samples
		if frames := strings.Split(r.Stack, ";"); slices.ContainsFunc(frames, inserts) {
			inserting += r.Samples
			if slices.ContainsFunc(frames, moves) {
				moving += r.Samples
			}
		}
	}
	if p.Samples == 0 {
		return p
	}
	all := float64(p.Samples)
	p.Inserting, p.Moving = float64(inserting)/all, float64(moving)/all
	for f, n := range samples {
		f.Share = float64(n) / all
		p.Hot = append(p.Hot, f)
	}
	slices.SortFunc(p.Hot, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Name, b.Name), strings.Compare(a.Module, b.Module))
	})
	p.Hot = p.Hot[:min(len(p.Hot), maxHot)]
	first := p.Hot[0]
	first.Share = 0
	var most int64
	for stack, n := range stacks[first] {
		if frames := strings.Split(stack, ";"); n > most || n == most && len(frames) > len(p.Stack) {
			most, p.Stack = n, frames[:min(len(frames), maxFrames)]
		}
	}
	return p
}

// inserts says whether a function writes values into the text of a statement.
func inserts(frame string) bool { return strings.Contains(frame, "insert_param") }

// moves says whether a function moves text, or makes room for it.
func moves(frame string) bool {
	return strings.Contains(frame, "memmove") || strings.Contains(frame, "memcpy") || strings.Contains(frame, "realloc") || strings.Contains(frame, "String::replace")
}
