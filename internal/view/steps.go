package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Steps are a histogram of times, the shortest first.
type Steps []Step

// Step is how many took less than Below, and at least half of it.
type Step struct {
	Below time.Duration
	Count int64
}

// AtMost is the end of the step below which a share of all lies; 0 if there are none.
func (s Steps) AtMost(share float64) time.Duration {
	all, seen := int64(0), int64(0)
	for _, step := range s {
		all += step.Count
	}
	for _, step := range s {
		if seen += step.Count; float64(seen) >= share*float64(all) {
			return step.Below
		}
	}
	return 0
}

// Plus is both histograms together.
func (s Steps) Plus(more Steps) Steps {
	sum := slices.Clone(s)
	for _, step := range more {
		sum.count(step.Below, step.Count)
	}
	return sum
}

// add adds a histogram as recordings have it, multiplied by a factor: "64us:3 128us:17". What is
// none is left out.
func (s *Steps) add(histogram string, factor float64) {
	for word := range strings.FieldsSeq(histogram) {
		below, count, _ := strings.Cut(word, ":")
		d, err := time.ParseDuration(below)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if err != nil || err2 != nil || d <= 0 || n <= 0 {
			continue
		}
		s.count(d, scaled(n, factor))
	}
}

func (s *Steps) count(below time.Duration, n int64) {
	i, ok := slices.BinarySearchFunc(*s, below, func(s Step, d time.Duration) int { return cmp.Compare(s.Below, d) })
	if !ok {
		*s = slices.Insert(*s, i, Step{Below: below})
	}
	(*s)[i].Count += n
}
