package show

import (
	"io"
	"strconv"

	"github.com/google/pprof/profile"

	"rtrail/internal/recording"
	"rtrail/internal/stack"
)

// typesOf are the types of values of one kind of stacks: what was counted, and
// of a sampled process the time that it stands for. Each kind has its own:
// samples of running threads and looks at sleeping ones come at different rates,
// so that their sum is nothing.
func typesOf(p *stack.Profile, kind string) []*profile.ValueType {
	count, duration := "threads", ""
	switch kind {
	case recording.StackOnCPU:
		count, duration = "samples", "on-cpu"
	case recording.StackOffCPU:
		count, duration = "looks", "off-cpu"
	}
	var list []*profile.ValueType
	if !p.Timed(kind) {
		list = append(list, &profile.ValueType{Type: count, Unit: "count"})
	}
	if p.Every(kind) > 0 {
		list = append(list, &profile.ValueType{Type: duration, Unit: "nanoseconds"})
	}
	return list
}

// PProf writes a profile in the format of pprof, compressed.
func PProf(out io.Writer, p *stack.Profile) error {
	kinds := p.Kinds()
	pp := &profile.Profile{}
	column := map[string]int{}
	for _, kind := range kinds {
		column[kind] = len(pp.SampleType)
		pp.SampleType = append(pp.SampleType, typesOf(p, kind)...)
		if every := p.Every(kind); every > 0 && pp.Period == 0 {
			// Times can be compared, counts by different clocks cannot.
			pp.PeriodType, pp.Period = pp.SampleType[len(pp.SampleType)-1], every.Nanoseconds()
		}
	}
	if len(pp.SampleType) == 0 {
		pp.SampleType = []*profile.ValueType{{Type: "threads", Unit: "count"}}
	}
	if pp.Period == 0 {
		pp.PeriodType, pp.Period = pp.SampleType[0], 1
	}
	pp.DefaultSampleType = pp.PeriodType.Type
	if len(p.Sources) > 0 && !p.Sources[0].At.IsZero() {
		pp.TimeNanos, pp.DurationNanos = p.Sources[0].At.UnixNano(), p.Sources[0].Length.Nanoseconds()
	}
	locations := map[string]*profile.Location{}
	for _, s := range p.Stacks {
		values := make([]int64, len(pp.SampleType))
		values[column[s.Kind]] = s.Count
		if every := p.Every(s.Kind); every > 0 {
			at := column[s.Kind]
			if !p.Timed(s.Kind) {
				at++
			}
			values[at] = s.Count * every.Nanoseconds()
		}
		sample := &profile.Sample{Value: values, Label: map[string][]string{"kind": {s.Kind}}}
		if s.State != "" {
			sample.Label["state"] = []string{s.State}
		}
		if s.Process != "" {
			sample.Label["process"] = []string{s.Process}
		}
		if s.PID >= 0 {
			sample.Label["pid"] = []string{strconv.Itoa(int(s.PID))}
		}
		for _, name := range s.Frames {
			l := locations[name]
			if l == nil {
				f := &profile.Function{ID: uint64(len(pp.Function) + 1), Name: name, SystemName: name}
				pp.Function = append(pp.Function, f)
				l = &profile.Location{ID: uint64(len(pp.Location) + 1), Line: []profile.Line{{Function: f}}}
				pp.Location = append(pp.Location, l)
				locations[name] = l
			}
			sample.Location = append(sample.Location, l)
		}
		pp.Sample = append(pp.Sample, sample)
	}
	if err := pp.CheckValid(); err != nil {
		return err
	}
	return pp.Write(out)
}
