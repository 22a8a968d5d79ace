package compare

import (
	"fmt"
	"slices"
	"strings"

	"strconv"
)

const (
	// full is the share of a resource from which on it is what a run is short of: that of the
	// rules cpu/saturated (full-from) and disk/saturated (busy-share).
	full = 0.9
	// waitingCPUs: a disk that is busy all the time may still serve more at once, and one
	// thread that waits for each of its writes keeps it busy. Throughput is lost if the time
	// of a CPU or more is idle for it.
	waitingCPUs = 1
)

// Short is what runs of a scenario were short of.
type Short struct {
	Of       string  `json:"of"` // cpu, disk, or the rule that found it
	Scenario string  `json:"scenario"`
	Levels   []Level `json:"levels"`
	Words    string  `json:"words"` // what tells it

	ranges []span
}

// span is from the least of some numbers to the largest.
type span struct {
	format   string
	from, to float64
}

// shortOf is what a run was short of, as its findings or its host's numbers tell.
func (r *Run) shortOf() (of, words string, numbers []span) {
	if len(r.Saturated) > 0 {
		return r.Saturated[0].Rule, "for example: " + r.Saturated[0].Headline, nil
	}
	h := &r.Host
	busy, cpus := r.busy(), float64(h.CPUs)
	switch {
	case float64(h.Util) >= 100*full && float64(h.IOWait) >= waitingCPUs:
		return "disk", "", []span{{"busy %s %% of the time", float64(h.Util), float64(h.Util)}, {"%s CPUs idle for it", float64(h.IOWait), float64(h.IOWait)}}
	case cpus > 0 && busy >= cpus*full:
		return "cpu", "", []span{{"%s of " + strconv.FormatFloat(cpus, 'f', -1, 64) + " CPUs busy", busy, busy}}
	}
	return "", "", nil
}

func (s span) String() string {
	text := fmt.Sprintf("%.1f", s.from)
	if to := fmt.Sprintf("%.1f", s.to); to != text {
		text += " to " + to
	}
	return fmt.Sprintf(s.format, text)
}

// shortages add up what an environment's runs were short of.
func shortages(runs []*Run) (list []Short) {
	for _, r := range runs {
		of, words, numbers := r.shortOf()
		if of == "" {
			continue
		}
		i := slices.IndexFunc(list, func(s Short) bool { return s.Of == of && s.Scenario == r.Scenario })
		if i < 0 {
			i, list = len(list), append(list, Short{Of: of, Scenario: r.Scenario, Words: words, ranges: numbers})
		}
		s := &list[i]
		for k := range min(len(s.ranges), len(numbers)) {
			s.ranges[k].from, s.ranges[k].to = min(s.ranges[k].from, numbers[k].from), max(s.ranges[k].to, numbers[k].to)
		}
		if at, there := slices.BinarySearchFunc(s.Levels, r.level(), compareLevels); !there {
			s.Levels = slices.Insert(s.Levels, at, r.level())
		}
	}
	for i := range list {
		var parts []string
		for _, n := range list[i].ranges {
			parts = append(parts, n.String())
		}
		if len(parts) > 0 {
			list[i].Words = strings.Join(parts, ", ")
		}
	}
	return list
}

// levelsText says which levels, of all there are: "32 to 128".
func levelsText(levels, all []Level) string {
	var parts []string
	for i := 0; i < len(levels); {
		at := slices.Index(all, levels[i])
		n := 1
		for i+n < len(levels) && at+n < len(all) && levels[i+n] == all[at+n] {
			n++
		}
		switch {
		case n > 2:
			parts = append(parts, levels[i].String()+" to "+levels[i+n-1].String())
		default:
			for _, l := range levels[i : i+n] {
				parts = append(parts, l.String())
			}
		}
		i += n
	}
	return strings.Join(parts, ", ")
}
