// Package doubt says in words what a capture lacks: what was not captured, not
// read, or left out of all times.
package doubt

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/sums"
	"rtrail/internal/unit"
)

// Kind tells doubts apart for those who print some of them in another way.
type Kind int

// Kinds of doubts.
const (
	Gap    Kind = iota // something that could not be seen or measured
	Lost               // dropped packets and missed bytes
	Copies             // packets captured twice, which is no loss
	Note               // what reading the files told
)

// Doubt is one thing that is missing.
type Doubt struct {
	Kind Kind
	Text string
}

// Of lists what is missing in a capture and what was left out of all times;
// nothing if all is well. Without a summary only what the packets tell is listed.
func Of(r *engine.Report, s *summary.Summary) []Doubt {
	var list []Doubt
	say := func(k Kind, format string, args ...any) { list = append(list, Doubt{k, fmt.Sprintf(format, args...)}) }
	if r.Loss.Known && r.Loss.Dropped > 0 {
		say(Lost, "dropped by the capture: %s of %s", unit.Count(r.Loss.Dropped), unit.Plural(r.Packets+r.Loss.Dropped, "packet", "packets"))
	}
	if s == nil {
		s = &summary.Summary{}
	}
	if s.Missed > 0 {
		say(Lost, "missed: %s of TCP streams were acknowledged but not captured", unit.Bytes(s.Missed))
	}
	if s.OneWay > 0 {
		say(Gap, "one direction only: of %s of %s no packet came from the other side, so they have no response times", unit.Count(s.OneWay), unit.Plural(s.Seen, "connection", "connections"))
	}
	if s.Midway > 0 {
		say(Gap, "begun before the capture: %s of %s", unit.Count(s.Midway), unit.Plural(s.Seen, "connection", "connections"))
	}
	if s.Guessed > 0 {
		say(Gap, "which end is the server is a guess by the lower port: %s of %s (-p PORT tells)", unit.Count(s.Guessed), unit.Plural(s.Seen, "connection", "connections"))
	}
	if r.Duplicates > 0 {
		say(Copies, "captured twice and counted once: %s", unit.Plural(r.Duplicates, "packet", "packets"))
	}
	for _, text := range unread(r) {
		say(Gap, "%s", text)
	}
	if r.Crashes.Any() {
		say(Gap, "%s", crashed(&r.Crashes))
	}
	var all sums.Requests
	for _, t := range s.Services {
		all.Add(&t.Requests)
	}
	if n := all.Excluded(); n > 0 {
		say(Gap, "left out of all times: %s (%s)", unit.Plural(n, "request", "requests"), Reasons(&all))
	}
	if rest := s.Services[summary.Service{}]; s.Folded > 0 && rest != nil {
		say(Gap, "summed up as one service without a port: %s of %s, the smallest of too many services", unit.Plural(rest.Count+rest.Excluded(), "request", "requests"), unit.Plural(rest.Connections, "connection", "connections"))
	}
	for _, n := range r.Notes {
		prefix := ""
		if n.File != "" {
			prefix = n.File + ": "
		}
		say(Note, "%s", prefix+n.Text)
	}
	return list
}

// crashed tells of panics: what they cost, and what to report.
func crashed(c *engine.Crashes) string {
	var lost []string
	if c.Connections > 0 {
		lost = append(lost, unit.Plural(c.Connections, "connection", "connections"))
	}
	if c.Packets > 0 {
		lost = append(lost, unit.Plural(c.Packets, "packet", "packets")+" of no connection")
	}
	at := fmt.Sprintf("packet %d", c.Frame)
	if c.Conn != "" {
		at += " of " + c.Conn
	}
	return fmt.Sprintf("left out because rtrail %s: %s, the first at %s; please report this", c.First, strings.Join(lost, " and "), at)
}

// unread says which packets were not looked into. ARP and the like beside IP are
// no doubt; where nothing else is there, nothing was measured.
func unread(r *engine.Report) []string {
	var lines []string
	foreign, alien := r.Results[decode.Foreign], r.Results[decode.Alien]
	if foreign > 0 {
		lines = append(lines, fmt.Sprintf("not read: %s of link types that are not known (%s); see https://www.tcpdump.org/linktypes.html",
			unit.Plural(foreign, "packet", "packets"), linkTypes(r.Interfaces)))
	}
	if alien > 0 {
		wrong := ""
		if 2*alien > r.Packets {
			wrong = "; the capture names a wrong link type (editcap -T corrects it)"
		}
		lines = append(lines, fmt.Sprintf("not read: %s neither IPv4 nor IPv6 although the link type says IP%s", unit.Plural(alien, "packet is", "packets are"), wrong))
	}
	if n := r.Unreadable() - int64(foreign+alien); n > 0 {
		lines = append(lines, fmt.Sprintf("cut or broken before the transport header ended: %s", unit.Plural(n, "packet", "packets")))
	}
	if ip := r.Results[decode.OK] + r.Results[decode.Fragment] + r.Results[decode.Other]; ip == 0 && r.Packets > 0 {
		others := ""
		if n := r.Results[decode.NotIP]; n > 0 {
			others = fmt.Sprintf(" (%s of ARP and other protocols)", unit.Plural(n, "packet", "packets"))
		}
		lines = append(lines, "nothing was measured: no packet could be read as IP"+others)
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

// Reasons counts why requests were left out.
func Reasons(s *sums.Requests) string {
	var parts []string
	for _, r := range []struct {
		n         int64
		one, many string
	}{
		{s.Unanswered, "without answer", "without answer"},
		{s.Unpaired, "answer whose request was not captured", "answers whose requests were not captured"},
		{s.Ambiguous, "ambiguous: which bytes answer it is not certain", "ambiguous: which bytes answer them is not certain"},
		{s.Lossy, "captured in part", "captured in part"},
		{s.Blocking, "asked to wait", "asked to wait"},
	} {
		if r.n > 0 {
			parts = append(parts, unit.Plural(r.n, r.one, r.many))
		}
	}
	return strings.Join(parts, ", ")
}
