package view

import (
	"cmp"
	"slices"
	"time"
)

// CPUProfile is what processes did on the CPUs, as samples tell.
type CPUProfile struct {
	Samples   int64
	Time      time.Duration // that the samples stand for
	Functions []HotFunction // innermost ones, those with most samples first
}

// HotFunction is one function in which samples found processes.
type HotFunction struct {
	Function string // "": nothing names it
	Module   string // file of the program or library, kernel, [jit]
	Source   string // file and line where most of its samples were; "" if not known
	Kernel   bool
	Samples  int64
	Share    float64 // of all samples of the processes
	Spins    int64   // samples in a loop that waits without sleeping
}

// AtLeast is a share that is exceeded with a probability of 97 %, for there are only
// so many samples.
func (f *HotFunction) AtLeast() float64 {
	if f.Samples == 0 {
		return 0
	}
	return shareAtLeast(f.Share, float64(f.Samples)/f.Share)
}

// SpinsAtLeast is the share of all samples that are in its waiting loops, as AtLeast.
func (f *HotFunction) SpinsAtLeast() float64 {
	if f.Samples == 0 {
		return 0
	}
	return shareAtLeast(f.Share*float64(f.Spins)/float64(f.Samples), float64(f.Samples)/f.Share)
}

// Where is the file and line, or the module of a function.
func (f *HotFunction) Where() string { return cmp.Or(f.Source, f.Module) }

// CPUProfile sums up what processes did on the CPUs; without samples nothing is known.
func (v *View) CPUProfile(pids ...int32) CPUProfile {
	rows := v.onCPU()
	type name struct{ function, module string }
	at := map[name]int{}
	lines := map[name]map[string]int64{}
	var o CPUProfile
	for _, pid := range pids {
		for _, r := range rows[pid] {
			o.Samples += r.Samples
			o.Time += time.Duration(r.Samples) * r.Every
			k := name{r.Function, r.Module}
			i, ok := at[k]
			if !ok {
				i = len(o.Functions)
				at[k], lines[k] = i, map[string]int64{}
				o.Functions = append(o.Functions, HotFunction{Function: r.Function, Module: r.Module, Kernel: r.Kernel})
			}
			f := &o.Functions[i]
			f.Samples += r.Samples
			if r.Spins {
				f.Spins += r.Samples
			}
			lines[k][r.Source] += r.Samples
			if n := lines[k][r.Source]; r.Source != "" && (n > lines[k][f.Source] || f.Source == "") {
				f.Source = r.Source
			}
		}
	}
	for i := range o.Functions {
		o.Functions[i].Share = float64(o.Functions[i].Samples) / float64(o.Samples)
	}
	slices.SortStableFunc(o.Functions, func(a, b HotFunction) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Module, b.Module))
	})
	return o
}
