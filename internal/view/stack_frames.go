package view

import (
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/stack/signatures"
)

// StackRow is one stack of a process, innermost frame first, and how many
// threads or samples had it.
type StackRow struct {
	Frames []string
	Count  int64
	TID    int32
}

// Stacks are the stacks of a process of one kind (recording.StackOnCPU...),
// over all sources, and how many threads or samples they are of.
func (v *View) Stacks(pid int32, kind string) (list []StackRow, all int64) {
	for _, r := range Rows[recording.StackSample](v) {
		if r.PID == pid && r.Kind == kind {
			list = append(list, StackRow{Frames: strings.Split(r.Frames, ";"), Count: r.Count, TID: r.TID})
			all += r.Count
		}
	}
	return list, all
}

// Calls says whether one of the innermost frames is one of some functions;
// depth 0 looks at all of them. Names fit with and without their class.
func (r StackRow) Calls(depth int, functions ...string) bool {
	frames := r.Frames
	if depth > 0 {
		frames = frames[:min(depth, len(frames))]
	}
	return slices.ContainsFunc(frames, func(frame string) bool {
		name := signatures.Bare(frame)
		if at := strings.LastIndex(name, "::"); at >= 0 {
			name = name[at+2:]
		}
		return slices.Contains(functions, name)
	})
}
