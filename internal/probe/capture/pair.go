package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/packet/bothsides"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/recording"
)

// pairTransactions is how many of the slowest transactions of two captures are
// kept as rows.
const pairTransactions = 500

// PairOptions is how two captures of the same traffic are read.
type PairOptions struct {
	Sides    [2]bothsides.Capture // at the client and at the server
	Ports    []uint16             // server ports that matter, on either side; none: all
	DecodeAs map[uint16]string    // as in engine.Options
}

// PairResult is what two captures say together, ready to become evidence.
type PairResult struct {
	Client *Result // what the client's capture says alone
	Pair   *bothsides.Result

	decodeAs string
}

// ReadPair reads two captures and compares them. What one of them says alone is
// kept of the client's: it contains what its users waited for.
func ReadPair(ctx context.Context, o PairOptions) (*PairResult, error) {
	how := engine.Options{DecodeAs: o.DecodeAs}
	p, err := bothsides.Run(ctx, bothsides.Options{Sides: o.Sides, Ports: o.Ports, Slowest: pairTransactions, Engine: how})
	if err != nil {
		return nil, err
	}
	at := &p.Sides[bothsides.AtClient]
	src, err := at.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	client, err := Read(ctx, src, Options{Source: strings.Join(at.Files, ", "), Point: "client", Ports: portsAtClient(o.Ports, p.Services), Engine: how})
	if err != nil {
		return nil, err
	}
	return &PairResult{client, p, decodeAs(o.DecodeAs)}, nil
}

// portsAtClient are the ports that matter as the client's capture has them: NAT
// may have changed those that the server's capture was asked for.
func portsAtClient(ports []uint16, services []*bothsides.Service) []uint16 {
	if len(ports) == 0 {
		return nil
	}
	all := slices.Clone(ports)
	for _, s := range services {
		if !slices.Contains(all, s.Server.Port) {
			all = append(all, s.Server.Port)
		}
	}
	return all
}

// Write makes evidence of the result.
func (r *PairResult) Write(w *recording.Writer) {
	r.Client.Write(w)
	recording.Append(w, r.serverRow())
	for _, s := range r.Pair.Services {
		if s.Count > 0 || s.Excluded.Total() > 0 {
			recording.Append(w, pairRow(s, &r.Pair.Clock))
		}
	}
	for i := range r.Pair.Slowest {
		recording.Append(w, pairTransactionRow(&r.Pair.Slowest[i]))
	}
}

// serverRow describes the server's capture.
func (r *PairResult) serverRow() recording.PacketCapture {
	side := &r.Pair.Sides[bothsides.AtServer]
	dropped := int64(recording.Unknown)
	if side.Report.Loss.Known {
		dropped = int64(side.Report.Loss.Dropped)
	}
	notes := notesOf(&side.Report, nil)
	if r.Pair.Swapped {
		notes = append(notes, "the captures were given the wrong way round, and were exchanged")
	}
	if n := side.Unmatched.Absent; n > 0 {
		notes = append(notes, fmt.Sprintf("%d connections are not in the client's capture", n))
	}
	if n := r.Pair.Excluded.Total(); n > 0 {
		all := n
		for _, s := range r.Pair.Services {
			all += uint64(s.Count)
		}
		notes = append(notes, fmt.Sprintf("left out of the comparison: %d of %d requests, which the captures do not both hold whole", n, all))
	}
	return recording.PacketCapture{
		At: time.Unix(0, side.Report.First), Last: time.Unix(0, side.Report.Last), Source: strings.Join(side.Files, ", "), Point: "server", DecodeAs: r.decodeAs,
		Packets: int64(side.Report.Packets), Bytes: int64(side.Report.Bytes), Dropped: dropped, Missed: side.Missed,
		Duplicates: int64(side.Report.Duplicates), Unreadable: side.Report.Unreadable(), Connections: int64(side.Connections),
		Note: strings.Join(notes, "; "),
	}
}

func pairRow(s *bothsides.Service, c *bothsides.Clock) recording.PacketPair {
	from, to := c.Covers()
	if s.Count > 0 {
		from, to = time.Unix(0, s.First), time.Unix(0, s.Last)
	}
	quantiles := func(p *bothsides.Part) (p50, p95, p99 time.Duration) {
		return p.Hist.Quantile(0.5), p.Hist.Quantile(0.95), p.Hist.Quantile(0.99)
	}
	row := recording.PacketPair{
		At: from, Last: to, Server: host(s.Server), ServerPort: int32(s.Server.Port), Backend: host(s.Backend), BackendPort: int32(s.Backend.Port),
		Proto: s.Proto, Connections: int64(s.Connections), Count: int64(s.Count), Approximate: int64(s.Approximate),
		Excluded: int64(s.Excluded.Total()), Clamped: int64(s.Clamped),
		RTSum: s.RT.Sum, Idle: s.Idle, Upload: s.Upload.Sum, ResentThere: s.ResentThere.Sum, PathThere: s.PathThere.Sum, Serve: s.Serve.Sum,
		ResentBack: s.ResentBack.Sum, PathBack: s.PathBack.Sum, Download: s.Download.Sum, Sending: s.Sending,
		SegmentsThere: int64(s.SegmentsThere), SegmentsBack: int64(s.SegmentsBack), LostThere: int64(s.LostThere), LostBack: int64(s.LostBack),
		Offset: c.Offset, Uncertainty: c.Uncertainty, DriftPPM: c.Drift * 1e6, RoundTrip: c.RoundTrip, Unmatched: int64(s.Unmatched),
	}
	row.RTP50, row.RTP95, row.RTP99 = quantiles(&s.RT)
	row.PathThereP50, row.PathThereP95, row.PathThereP99 = quantiles(&s.PathThere)
	row.ServeP50, row.ServeP95, row.ServeP99 = quantiles(&s.Serve)
	row.PathBackP50, row.PathBackP95, row.PathBackP99 = quantiles(&s.PathBack)
	return row
}

func pairTransactionRow(s *bothsides.Split) recording.PacketPairTransaction {
	return recording.PacketPairTransaction{
		At: time.Unix(0, s.Start), Connection: int64(s.Connection),
		Client: host(s.Client), ClientPort: int32(s.Client.Port), Server: host(s.Server), ServerPort: int32(s.Server.Port),
		Backend: host(s.Backend), BackendPort: int32(s.Backend.Port),
		Proto: s.Proto, Command: s.Command, Fingerprint: s.Fingerprint, Failed: s.Failed,
		RT: s.RT, Idle: s.Idle, Upload: s.Upload, ResentThere: s.ResentThere, PathThere: s.PathThere, Serve: s.ServeThere,
		ResentBack: s.ResentBack, PathBack: s.PathBack, Download: s.Download, Sending: s.Sending,
		Uncertainty: s.Uncertainty, Frame: int64(s.Frames[0]), ServerFrame: int64(s.ServerFrame),
	}
}

func host(e flow.Endpoint) string { return e.Addr.String() }
