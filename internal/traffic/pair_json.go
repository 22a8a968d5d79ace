package traffic

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/bothsides"
)

// PairTransaction appends a transaction of two captures as a line of JSON: that
// of JSON.Transaction as the client's capture has it, and where its time went.
func (j *JSON) PairTransaction(b []byte, s *bothsides.Split) []byte {
	b = j.Transaction(b, &s.Transaction)
	b = append(b[:len(b)-2], `,"split":{"backend":"`...)
	b = endpoint(b, s.Backend)
	b = append(b, '"')
	b = nanos(b, `,"upload_ns":`, s.Upload, true)
	b = nanos(b, `,"resent_there_ns":`, s.ResentThere, true)
	b = nanos(b, `,"path_there_ns":`, s.PathThere, true)
	b = nanos(b, `,"server_ns":`, s.ServeThere, true)
	b = nanos(b, `,"resent_back_ns":`, s.ResentBack, true)
	b = nanos(b, `,"path_back_ns":`, s.PathBack, true)
	b = nanos(b, `,"download_ns":`, s.Download, true)
	b = nanos(b, `,"sending_ns":`, s.Sending, true)
	b = nanos(b, `,"uncertainty_ns":`, s.Uncertainty, true)
	b = append(b, fmt.Sprintf(`,"clamped":%t,"server_frame":%d}`, s.Clamped, s.ServerFrame)...)
	return append(b, '}', '\n')
}

type pairJSON struct {
	Client   pairSideJSON      `json:"client"`
	Server   pairSideJSON      `json:"server"`
	Swapped  bool              `json:"swapped"`
	Matched  int               `json:"matched_connections"`
	Changed  int               `json:"translated_connections"`
	Clock    pairClockJSON     `json:"clock"`
	Services []pairServiceJSON `json:"services"`
	Slowest  []json.RawMessage `json:"slowest"`
	Excluded pairExcludedJSON  `json:"excluded"`
}

type pairSideJSON struct {
	Files       []string  `json:"files"`
	Packets     uint64    `json:"packets"`
	First       time.Time `json:"first"`
	Last        time.Time `json:"last"`
	Connections int       `json:"connections"`
	Dropped     *uint64   `json:"dropped"` // null: the capture does not say
	Missed      int64     `json:"missed_bytes"`
	Outside     int       `json:"unmatched_outside"`
	Silent      int       `json:"unmatched_silent"`
	Absent      int       `json:"unmatched_absent"`
	Unanswered  int       `json:"unmatched_unanswered"`
}

type pairClockJSON struct {
	Offset      int64   `json:"offset_ns"`
	DriftPPM    float64 `json:"drift_ppm"`
	Uncertainty int64   `json:"uncertainty_ns"`
	RoundTrip   int64   `json:"shortest_round_trip_ns"`
	Packets     int     `json:"packets"`
	Ignored     int     `json:"ignored"`
}

type pairExcludedJSON struct {
	OnlyClient uint64 `json:"only_client"`
	OnlyServer uint64 `json:"only_server"`
	Doubtful   uint64 `json:"doubtful"`
	Different  uint64 `json:"different"`
	Contradict uint64 `json:"contradict"`
}

type pairPartJSON struct {
	Sum   int64   `json:"sum_ns"`
	Share float64 `json:"share"`
	P50   int64   `json:"p50_ns"`
	P95   int64   `json:"p95_ns"`
	P99   int64   `json:"p99_ns"`
}

type pairServiceJSON struct {
	Server        string           `json:"server"`
	Backend       string           `json:"backend"`
	Proto         string           `json:"proto"`
	Connections   int              `json:"connections"`
	Count         uint64           `json:"count"`
	Approximate   uint64           `json:"approximate"`
	Failed        uint64           `json:"failed"`
	Clamped       uint64           `json:"clamped"`
	Excluded      pairExcludedJSON `json:"excluded"`
	Waited        int64            `json:"waited_ns"`
	RT            pairPartJSON     `json:"rt"`
	Upload        pairPartJSON     `json:"upload"`
	ResentThere   pairPartJSON     `json:"resent_there"`
	PathThere     pairPartJSON     `json:"path_there"`
	Serve         pairPartJSON     `json:"server_time"`
	ResentBack    pairPartJSON     `json:"resent_back"`
	PathBack      pairPartJSON     `json:"path_back"`
	Download      pairPartJSON     `json:"download"`
	Sending       int64            `json:"sending_ns"`
	Idle          int64            `json:"idle_ns"`
	SegmentsThere uint64           `json:"segments_there"`
	SegmentsBack  uint64           `json:"segments_back"`
	LostThere     uint64           `json:"lost_there"`
	LostBack      uint64           `json:"lost_back"`
}

// JSON writes everything as one document.
func (p Pair) JSON(out io.Writer) error {
	r := p.Result
	c := &r.Clock
	doc := pairJSON{
		Client: pairSideOf(&r.Sides[bothsides.AtClient]), Server: pairSideOf(&r.Sides[bothsides.AtServer]), Swapped: r.Swapped,
		Matched: r.Matched, Changed: r.Translated,
		Clock:    pairClockJSON{int64(c.Offset), c.Drift * 1e6, int64(c.Uncertainty), int64(c.RoundTrip), c.Packets, c.Ignored},
		Services: []pairServiceJSON{}, Slowest: []json.RawMessage{}, Excluded: pairExcludedJSON(r.Excluded),
	}
	for _, s := range r.Services {
		doc.Services = append(doc.Services, pairServiceOf(s))
	}
	var lines JSON
	for i := range r.Slowest {
		doc.Slowest = append(doc.Slowest, lines.PairTransaction(nil, &r.Slowest[i]))
	}
	return document.JSON(out, doc)
}

func pairSideOf(s *bothsides.Side) pairSideJSON {
	u := &s.Unmatched
	x := pairSideJSON{
		Files: s.Files, Packets: s.Report.Packets, First: time.Unix(0, s.Report.First).UTC(), Last: time.Unix(0, s.Report.Last).UTC(),
		Connections: s.Connections, Missed: s.Missed, Outside: u.Outside, Silent: u.Silent, Absent: u.Absent, Unanswered: u.Unanswered,
	}
	if s.Report.Loss.Known {
		x.Dropped = &s.Report.Loss.Dropped
	}
	return x
}

func pairServiceOf(s *bothsides.Service) pairServiceJSON {
	part := func(p *bothsides.Part) pairPartJSON {
		return pairPartJSON{int64(p.Sum), float64(p.Sum) / float64(max(s.Waited(), 1)), int64(p.Hist.Quantile(0.5)), int64(p.Hist.Quantile(0.95)), int64(p.Hist.Quantile(0.99))}
	}
	return pairServiceJSON{
		Server: s.Server.String(), Backend: s.Backend.String(), Proto: s.Proto, Connections: s.Connections, Count: s.Count,
		Approximate: s.Approximate, Failed: s.Failed, Clamped: s.Clamped, Excluded: pairExcludedJSON(s.Excluded), Waited: int64(s.Waited()),
		RT: part(&s.RT), Upload: part(&s.Upload), ResentThere: part(&s.ResentThere), PathThere: part(&s.PathThere), Serve: part(&s.Serve),
		ResentBack: part(&s.ResentBack), PathBack: part(&s.PathBack), Download: part(&s.Download), Sending: int64(s.Sending), Idle: int64(s.Idle),
		SegmentsThere: s.SegmentsThere, SegmentsBack: s.SegmentsBack, LostThere: s.LostThere, LostBack: s.LostBack,
	}
}
