package traffic

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// Doubts says what is missing in a capture and what was left out of all times,
// a line each; none if all is well.
func Doubts(r *engine.Report, s *summary.Summary) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.Loss.Known && r.Loss.Dropped > 0 {
		say("dropped by the capture: %s of %s packets", unit.Count(r.Loss.Dropped), unit.Count(r.Packets+r.Loss.Dropped))
	}
	if s.Missed > 0 {
		say("missed: %s of TCP streams were acknowledged but not captured", unit.Bytes(s.Missed))
	}
	if s.OneWay > 0 {
		say("one direction only: of %s of %s connections no packet came from the other side, so they have no response times", unit.Count(s.OneWay), unit.Count(s.Seen))
	}
	if s.Midway > 0 {
		say("begun before the capture: %s of %s connections", unit.Count(s.Midway), unit.Count(s.Seen))
	}
	if s.Guessed > 0 {
		say("which end is the server is a guess by the lower port: %s of %s connections (-p PORT tells)", unit.Count(s.Guessed), unit.Count(s.Seen))
	}
	if r.Duplicates > 0 {
		say("captured twice and counted once: %s packets", unit.Count(r.Duplicates))
	}
	if n := r.Results[decode.Foreign]; n > 0 {
		say("not read: %s packets of link types that are not known (%s); see https://www.tcpdump.org/linktypes.html", unit.Count(n), linkTypes(r.Interfaces))
	}
	if n := r.Unreadable() - int64(r.Results[decode.Foreign]); n > 0 {
		say("cut or broken before the transport header ended: %s packets", unit.Count(n))
	}
	var all rt.Stats
	for _, t := range s.Services {
		all.Ambiguous += t.Ambiguous
		all.Lossy += t.Lossy
		all.Unanswered += t.Unanswered
		all.Unpaired += t.Unpaired
	}
	if n := all.Excluded(); n > 0 {
		say("left out of all times: %s requests (%s)", unit.Count(n), reasons(&all))
	}
	for _, n := range r.Notes {
		prefix := ""
		if n.File != "" {
			prefix = n.File + ": "
		}
		say("note: %s", plain(prefix+n.Text))
	}
	return lines
}

// linkTypes lists the numbers of those that cannot be read, each once.
func linkTypes(of []pcap.Interface) string {
	var list []string
	for _, i := range of {
		if word := fmt.Sprintf("%d", i.Link); !decode.Knows(i.Link) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return strings.Join(list, ", ")
}

// reasons counts why requests were left out.
func reasons(s *rt.Stats) string {
	var parts []string
	for _, r := range []struct {
		n    uint64
		what string
	}{
		{s.Unanswered, "without answer"}, {s.Unpaired, "answers whose request was not captured"},
		{s.Ambiguous, "ambiguous: several were under way"}, {s.Lossy, "a part was not captured"},
	} {
		if r.n > 0 {
			parts = append(parts, unit.Count(r.n).String()+" "+r.what)
		}
	}
	return strings.Join(parts, ", ")
}
