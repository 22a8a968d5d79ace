package picture

import (
	"maps"
	"slices"
	"time"
)

// maxPoints bounds the times of a curve or a heatmap: a chart is some hundred pixels wide.
// Where there would be more, each stands for a longer time.
const maxPoints = 600

// grid is at which times there are points.
type grid struct {
	step int64 // nanoseconds from one to the next; 0: they are where they came
	at   map[int64]bool
}

func newGrid(step int64) grid { return grid{step, map[int64]bool{}} }

// place is the point that a moment belongs to.
func (g *grid) place(at int64) int64 {
	if g.step == 0 {
		return at
	}
	return at - at%g.step
}

// take makes sure that there is a point for a moment, and says whether others are elsewhere
// now.
func (g *grid) take(at int64) (coarser bool) {
	g.at[g.place(at)] = true
	for len(g.at) > maxPoints {
		g.coarsen()
		coarser = true
	}
	return coarser
}

// coarsen doubles the time per point.
func (g *grid) coarsen() {
	g.step = 2 * g.usual()
	at := make(map[int64]bool, len(g.at))
	for t := range g.at {
		at[g.place(t)] = true
	}
	g.at = at
}

// usual is the time that a point stands for.
func (g *grid) usual() int64 {
	if g.step > 0 {
		return g.step
	}
	list := g.sorted()
	var steps []int64
	for i := 1; i < len(list); i++ {
		steps = append(steps, list[i]-list[i-1])
	}
	if len(steps) == 0 {
		return int64(time.Second)
	}
	slices.Sort(steps)
	return max(steps[len(steps)/2], 1)
}

func (g *grid) sorted() []int64 { return slices.Sorted(maps.Keys(g.at)) }

// moved puts what belongs to points where these are after a grid became coarser.
func moved[T any](all map[int64]T, g *grid, add func(T, T)) map[int64]T {
	out := make(map[int64]T, len(all))
	for at, x := range all {
		put(out, g.place(at), x, add)
	}
	return out
}

func put[T any](all map[int64]T, at int64, x T, add func(T, T)) {
	if have, ok := all[at]; ok {
		add(have, x)
	} else {
		all[at] = x
	}
}
