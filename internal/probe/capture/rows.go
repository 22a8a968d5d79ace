package capture

import (
	"strings"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
	"rtrail/internal/recording"
)

// perOctave is how finely times are kept in a recording: as finely as they were
// measured, to within one percent. A verdict and rtrail packets, which it names
// as its proof, would print different numbers otherwise.
const perOctave = 64

func secondRow(s *summary.Second) recording.PacketService {
	return recording.PacketService{
		At: time.Unix(0, s.At), Server: s.Service.Server.Addr.String(), ServerPort: int32(s.Service.Server.Port), Proto: s.Service.Proto,
		Requests: s.Requests, RTP50: s.Quantile(0.5), RTP95: s.Quantile(0.95), RTP99: s.Quantile(0.99), Path: s.Path,
	}
}

// ConnectionRow is a connection as tables hold it.
func ConnectionRow(c *rt.Connection) recording.PacketConnection {
	row := recording.PacketConnection{
		At: time.Unix(0, c.Began), Last: time.Unix(0, c.Last.At), ID: int64(c.ID),
		Client: c.Client.Addr.String(), ClientPort: int32(c.Client.Port), Server: c.Server.Addr.String(), ServerPort: int32(c.Server.Port),
		Proto: c.Protocol, Why: c.Why.String(), Midway: c.Midway,
		ServerRTT: recording.Unknown, ClientRTT: recording.Unknown, Connect: recording.Unknown,
		SYNs: int32(c.SYNs), SYNACKs: int32(c.SYNACKs), Refused: c.Refused, Retried: c.Retried(), Ending: c.Ending.String(),
		Transactions: int64(c.Requests.Count), Failed: int64(c.Requests.Failed), Excluded: int64(c.Requests.Excluded),
		RTSum: c.Requests.Sum, RTMin: c.Requests.Min, RTMax: c.Requests.Max, Download: c.Requests.Download, Idle: c.Requests.Idle,
	}
	if server, client, ok := c.HandshakeRTT(); ok {
		row.ServerRTT, row.ClientRTT = server, client
	}
	if d, ok := c.Conn.Connect(); ok {
		row.Connect = d
	}
	if c.Closer.Frame != 0 {
		row.Closer, row.ClosedAt, row.CloseFrame = c.Closer.Dir.String(), time.Unix(0, c.Closer.At), int64(c.Closer.Frame)
		row.CloseReset, row.CloseState, row.Outstanding = c.Closer.Reset, c.CloseState.String(), c.Closer.Outstanding
	}
	return row
}

func appendConnection(w *recording.Writer, c *rt.Connection) {
	row := ConnectionRow(c)
	recording.Append(w, row)
	recording.Append(w, SideRow(&row, "client", &c.Sides[0]), SideRow(&row, "server", &c.Sides[1]))
}

// SideRow is what one side of a connection sent, as tables hold it; sender is
// client or server.
func SideRow(c *recording.PacketConnection, sender string, s *tcp.Side) recording.PacketSide {
	return recording.PacketSide{
		At: c.At, Connection: c.ID, Sender: sender,
		Packets: int64(s.Packets), Segments: int64(s.Segments), Bytes: s.Bytes, WireBytes: s.WireBytes,
		Retransmissions: int64(s.Retransmissions), Timeouts: int64(s.Timeouts), Fast: int64(s.Fast), Spurious: int64(s.Spurious),
		OutOfOrder: int64(s.OutOfOrder), DupACKs: int64(s.DupACKs), LostOnWire: s.LostOnWire, Missed: s.Missed,
		KeepAlives: int64(s.KeepAlives), PAWS: int64(s.PAWS), RetransmitWait: s.RetransmitWait,
		ZeroWindows: int64(s.ZeroWindows), ZeroWindowTime: s.ZeroWindowTime, WindowLimited: s.WindowLimited, AppLimited: s.AppLimited,
		DelayedACKs: int64(s.DelayedACKs), DelayedACKTime: s.DelayedACKTime,
		MSS: int32(s.MSS), LargestSegment: int64(s.LargestSegment), TTL: int32(s.TTL),
		RTTs: int64(s.RTTs), RTTSum: s.RTTSum, RTTMin: s.RTTMin, RTTMax: s.RTTMax,
	}
}

func histogramRows(first time.Time, service summary.Service, t *summary.Total) []recording.PacketHistogram {
	var rows []recording.PacketHistogram
	for phase, times := range map[string]*rt.Histogram{"rt": &t.RT, "idle": &t.IdleTimes} {
		for _, b := range times.Buckets(perOctave) {
			rows = append(rows, recording.PacketHistogram{
				At: first, Server: service.Server.Addr.String(), ServerPort: int32(service.Server.Port), Proto: service.Proto, Phase: phase,
				From: b.From, To: b.To, Count: int64(b.Count),
			})
		}
	}
	return rows
}

func statementRow(k summary.StatementKey, s *summary.Statement) recording.PacketStatement {
	row := recording.PacketStatement{
		At: time.Unix(0, s.First), Server: k.Server.Addr.String(), ServerPort: int32(k.Server.Port), Proto: k.Proto,
		Command: k.Command, Fingerprint: k.Fingerprint, Count: s.Count, Failed: s.Failed,
		Error: s.Error, Clients: int64(len(s.Clients)),
		RTSum: s.RTSum, RTP10: s.Quantile(0.1), RTP50: s.Quantile(0.5), RTP95: s.Quantile(0.95), RTP99: s.Quantile(0.99), RTMax: s.RTMax,
		Download: s.Download, IdleBefore: s.Idle, Rows: s.Rows, RequestBytes: s.RequestBytes, ResponseBytes: s.ResponseBytes,
	}
	row.Blocking, row.Blocked = s.Blocking, s.Blocked
	row.IdleP50, row.IdleP95 = recording.Unknown, recording.Unknown
	if s.IdleTimes != nil && s.IdleTimes.Count() > 0 {
		row.IdleP50, row.IdleP95 = s.IdleTimes.Quantile(0.5), s.IdleTimes.Quantile(0.95)
	}
	row.Runs, row.RunCount, row.RunMost = int64(s.Runs.Runs), int64(s.Runs.Requests), int64(s.Runs.Most)
	row.RunTime, row.RunWaited = s.Runs.Time, s.Runs.Waited
	if kinds := s.ErrorKinds(); len(kinds) > 0 {
		row.Code = kinds[0].Code
	}
	return row
}

func errorRows(k summary.StatementKey, s *summary.Statement) []recording.PacketError {
	var rows []recording.PacketError
	row := func(e *summary.Errors) *recording.PacketError {
		rows = append(rows, recording.PacketError{
			At: time.Unix(0, e.First), Server: k.Server.Addr.String(), ServerPort: int32(k.Server.Port), Proto: k.Proto,
			Command: k.Command, Fingerprint: k.Fingerprint, Error: e.Text, Count: int64(e.Count), Met: int64(e.Met), Timed: int64(e.Timed), RTSum: e.Sum,
		})
		return &rows[len(rows)-1]
	}
	for _, kind := range s.ErrorKinds() {
		r := row(s.Errors[kind])
		r.Code, r.CutShort = kind.Code, kind.CutShort
	}
	if s.Others.Count > 0 {
		row(&s.Others).Others = true
	}
	return rows
}

// TransactionRow is a transaction as tables hold it.
func TransactionRow(t *rt.Transaction) recording.PacketTransaction {
	row := recording.PacketTransaction{
		At: time.Unix(0, t.Start), Connection: int64(t.Connection),
		Client: t.Client.Addr.String(), ClientPort: int32(t.Client.Port), Server: t.Server.Addr.String(), ServerPort: int32(t.Server.Port),
		Proto: t.Proto, Command: t.Command, Fingerprint: t.Fingerprint, Status: t.Status.String(), Doubt: strings.Join(t.Doubt.Words(), ","),
		Failed: t.Failed, Code: t.Code, Error: t.Error, Rows: max(t.Rows, proto.RowsNone), Depth: int32(t.Depth),
		RT: t.RT, Upload: t.Upload, Serve: t.Serve, Download: t.Download, Ack: t.Ack, Idle: t.Idle,
		Retransmit: t.Retransmit, ZeroWindow: t.ZeroWindow, DelayedACK: t.DelayedACK,
		RequestBytes: t.RequestBytes, ResponseBytes: t.ResponseBytes,
		FirstFrame: int64(t.Frames[0]), LastFrame: int64(max(t.Frames[3], t.Frames[1])),
	}
	if t.Status != proto.Answered {
		row.RT, row.Serve, row.Download = recording.Unknown, recording.Unknown, recording.Unknown
	}
	if t.Frames[0] == 0 { // the request was not captured
		row.Upload, row.RequestBytes, row.FirstFrame = recording.Unknown, recording.Unknown, recording.Unknown
	}
	if t.Depth == 0 {
		row.Depth = recording.Unknown
	}
	return row
}

func nestingRow(first time.Time, n *summary.Nesting) recording.PacketNesting {
	row := recording.PacketNesting{
		At: first, Host: n.Host.String(), Port: int32(n.Port), CalleePort: int32(n.CalleePort),
		Requests: int64(n.Requests), Calls: int64(n.Calls), Most: int64(n.Most), RTSum: n.Sum, RTP50: n.Request.Quantile(0.5),
		Covered: n.Covered, CallP50: n.Call.Quantile(0.5), CallP99: n.Call.Quantile(0.99), CallMax: n.Call.Quantile(1),
		CallSum: n.CallSum, Slow: int64(n.Slow), SlowSum: n.SlowSum, Struck: int64(n.Struck),
	}
	if n.Callee != (flow.Addr{}) {
		row.Callee = n.Callee.String()
	}
	return row
}
