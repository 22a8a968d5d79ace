package view

import (
	"cmp"
	"slices"
	"time"
)

// Brood is the processes that one process made in the window, itself or by processes that
// are brief themselves, as the kernel told.
type Brood struct {
	Parent   int32
	Born     int           // that were made
	Ended    int           // that were made and ended
	CPU      time.Duration // of those that ended, at least
	Programs []Program     // that ended, those with most runs first
}

// Program is what was started again and again: command lines that differ in nothing but
// numbers and paths.
type Program struct {
	Comm     string
	Cmdline  string // what differs is left out: "convert -resize 50% …"
	Runs     int
	Failed   int
	Ending   string        // the most frequent one
	Endings  int           // how many ended so
	CPU      time.Duration // of all
	Variants int           // different command lines, up to maxVariants
}

// maxVariants is how many command lines of one program are told apart.
const maxVariants = 1000

// Broods lists who made processes in the window, those that made most first; none
// where the kernel told of no end.
func (v *View) Broods() []Brood {
	return Memo(v, "broods", func() []Brood {
		l := v.lives()
		if len(l.runs) == 0 {
			return nil
		}
		brief := map[int32]bool{}
		for i := range l.runs {
			if r := &l.runs[i]; r.Lifetime.Seconds() < v.Seconds()/2 {
				brief[r.PID] = true
			}
		}
		broods := map[int32]*Brood{}
		programs := map[int32]*programs{}
		of := func(parent int32) (int32, *Brood) {
			top := l.above(parent, brief)
			if broods[top] == nil {
				broods[top], programs[top] = &Brood{Parent: top}, newPrograms()
			}
			return top, broods[top]
		}
		for _, parent := range l.born {
			_, b := of(parent)
			b.Born++
		}
		for i := range l.runs {
			r := &l.runs[i]
			top, b := of(r.Parent)
			if !r.Began.Before(v.Start()) {
				b.Ended++
				b.CPU += max(r.CPU, 0)
			}
			if r.Cmdline != "" {
				programs[top].add(r)
			}
		}
		list := make([]Brood, 0, len(broods))
		for pid, b := range broods {
			b.Programs = programs[pid].list()
			list = append(list, *b)
		}
		slices.SortFunc(list, func(a, b Brood) int { return cmp.Or(cmp.Compare(b.Born, a.Born), cmp.Compare(a.Parent, b.Parent)) })
		return list
	})
}

// maxDepth is how far parents are followed. Numbers are used again: there may be a circle.
const maxDepth = 16

// above is the first process, from one on upwards, that is not brief.
func (l *lives) above(pid int32, brief map[int32]bool) int32 {
	for range maxDepth {
		parent, ok := l.parents[pid]
		if !brief[pid] || !ok {
			break
		}
		pid = parent
	}
	return pid
}

// programs sums up runs by program.
type programs struct {
	at       map[command]int
	sums     []Program
	words    [][]string
	endings  []map[string]int
	variants []map[string]bool
}

type command struct{ comm, folded string }

func newPrograms() *programs { return &programs{at: map[command]int{}} }

func (p *programs) add(r *Run) {
	k := command{r.Comm, foldCommand(r.Cmdline)}
	n, ok := p.at[k]
	if !ok {
		n = len(p.sums)
		p.at[k] = n
		p.sums = append(p.sums, Program{Comm: r.Comm})
		p.words = append(p.words, commandWords(r.Cmdline))
		p.endings, p.variants = append(p.endings, map[string]int{}), append(p.variants, map[string]bool{})
	}
	s := &p.sums[n]
	s.Runs++
	s.CPU += max(r.CPU, 0)
	if r.Failed() {
		s.Failed++
	}
	if !p.variants[n][r.Cmdline] && len(p.variants[n]) < maxVariants {
		p.variants[n][r.Cmdline] = true
		p.words[n] = commonWords(p.words[n], commandWords(r.Cmdline))
	}
	e := r.Ending()
	p.endings[n][e]++
	if c := p.endings[n][e]; c > s.Endings {
		s.Ending, s.Endings = e, c
	}
}

// list are the programs, those with most runs first.
func (p *programs) list() []Program {
	for i := range p.sums {
		p.sums[i].Cmdline, p.sums[i].Variants = joinWords(p.words[i]), len(p.variants[i])
	}
	slices.SortStableFunc(p.sums, func(a, b Program) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Cmdline, b.Cmdline))
	})
	return p.sums
}
