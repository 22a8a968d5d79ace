package show

import (
	"io"
	"strconv"

	"github.com/google/pprof/profile"

	"rtrail/internal/recording"
	"rtrail/internal/stack"
)

// PProf writes a profile in the format of pprof, compressed.
func PProf(out io.Writer, p *stack.Profile) error {
	what := "threads"
	if kinds := p.Kinds(); len(kinds) == 1 && kinds[0] == recording.StackOnCPU {
		what = "samples"
	}
	pp := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: what, Unit: "count"}},
		PeriodType: &profile.ValueType{Type: what, Unit: "count"},
		Period:     1,
	}
	if len(p.Sources) > 0 {
		pp.TimeNanos = p.Sources[0].At.UnixNano()
	}
	locations := map[string]*profile.Location{}
	for _, s := range p.Stacks {
		sample := &profile.Sample{Value: []int64{s.Count}, Label: map[string][]string{"kind": {s.Kind}}}
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
