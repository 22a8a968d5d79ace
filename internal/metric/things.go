package metric

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// These say whose a row is, and what tells it from the others of a reading.

// number is one as a label.
func number[N ~int32 | ~uint16 | ~uint64](n N) string { return strconv.FormatUint(uint64(n), 10) }

func processID(s recording.ProcessSample) int32 { return s.PID }
func zombie(s recording.ProcessSample) ([]string, bool) {
	return []string{number(s.PPID)}, s.State == "Z" && s.Threads <= 1
}
func switches(s recording.ProcessSample) float64 {
	return reading(s.Voluntary) + reading(s.Involuntary)
}

type threadKey struct{ pid, tid int32 }

func threadID(s recording.ThreadSample) threadKey { return threadKey{s.PID, s.TID} }
func thread(s recording.ThreadSample) ([]string, bool) {
	return []string{number(s.PID), number(s.TID), s.Comm}, true
}
func uninterruptible(s recording.ThreadSample) ([]string, bool) {
	return []string{number(s.PID)}, s.State == "D"
}
func lock(s recording.LockWait) ([]string, bool) {
	return []string{number(s.PID), fmt.Sprintf("%#x", s.Lock)}, true
}
func limits(s recording.LimitSample) ([]string, bool) { return []string{number(s.PID)}, true }

func ended(v *view.View, add func(time.Time, ...string)) {
	for _, e := range view.Rows[recording.ProcessEvent](v) {
		if e.Kind == recording.ProcessExited {
			add(e.At, e.Comm)
		}
	}
}

func born(v *view.View, add func(time.Time, ...string)) {
	for _, e := range view.Rows[recording.ProcessEvent](v) {
		if e.Kind == recording.ProcessForked {
			add(e.At, number(e.PPID))
		}
	}
}

func logged(v *view.View, add func(time.Time, ...string)) {
	for _, l := range view.Rows[recording.KernelLogLine](v) {
		add(l.Logged)
	}
}

func oneCPU(s recording.CPUSample) ([]string, bool) { return []string{number(s.CPU)}, s.CPU >= 0 }

type zoneKey struct {
	node int32
	zone string
}

func zoneID(s recording.ZoneSample) zoneKey        { return zoneKey{s.Node, s.Zone} }
func node(s recording.ZoneSample) ([]string, bool) { return []string{number(s.Node)}, true }

type fileKey struct {
	pid                int32
	started            int64
	call, path, device string
}

func syncID(s recording.SyncSum) fileKey {
	return fileKey{s.PID, s.Started.UnixNano(), s.Call, s.Path, s.Device}
}
func syncer(s recording.SyncSum) ([]string, bool) {
	return []string{number(s.PID), s.Process, s.Path}, true
}
func fileID(s recording.FileSum) fileKey {
	return fileKey{s.PID, s.Started.UnixNano(), s.Kind, s.Path, s.Device}
}
func fileUser(s recording.FileSum) ([]string, bool) { return []string{number(s.PID), s.Process}, true }

// Sockets.

type socketKey struct {
	netns, inode          uint64
	local, remote         string
	localPort, remotePort uint16
}

func socketID(s recording.TCPSample) socketKey {
	return socketKey{s.NetNS, s.Inode, s.Local, s.Remote, s.LocalPort, s.RemotePort}
}
func timeWait(s recording.TCPSample) ([]string, bool) {
	return []string{number(s.NetNS)}, s.State == recording.TCPTimeWait
}
func halfOpen(s recording.TCPSample) ([]string, bool) {
	return []string{number(s.NetNS), number(s.LocalPort)}, s.State == recording.TCPSynRecv
}

// connected are connections in a state by their other end.
func connected(state recording.TCPState) of[recording.TCPSample] {
	return func(s recording.TCPSample) ([]string, bool) {
		return []string{number(s.NetNS), s.Remote}, s.State == state
	}
}

func udpSocket(s recording.UDPSample) ([]string, bool) {
	return []string{number(s.NetNS), number(s.LocalPort), number(s.Inode)}, true
}

type tcpEventKey struct {
	kind, local, remote string
	netns, inode        uint64
	ports               [2]uint16
	state               recording.TCPState
	reason              string
}

func tcpEventID(s recording.TCPEvent) tcpEventKey {
	return tcpEventKey{s.Kind, s.Local, s.Remote, s.NetNS, s.Inode, [2]uint16{s.LocalPort, s.RemotePort}, s.State, s.Reason}
}
func resent(s recording.TCPEvent) ([]string, bool) {
	return []string{number(s.NetNS), s.Remote}, s.Kind == recording.TCPSegment
}

// refusedOnLoopback are connects to a port of this host itself that were answered by a reset: those
// of one port are one sum.
func refusedOnLoopback(s recording.TCPEvent) ([]string, bool) {
	a, err := netip.ParseAddr(s.Remote)
	return []string{number(s.NetNS), number(s.RemotePort)}, s.Kind == recording.TCPResetReceived && s.State == recording.TCPSynSent && err == nil && a.IsLoopback()
}

type dropKey struct {
	netns                                                   uint64
	device, reason, function, protocol, source, destination string
	port                                                    uint16
}

func dropID(s recording.PacketDrop) dropKey {
	return dropKey{s.NetNS, s.Device, s.Reason, s.Function, s.Protocol, s.Source, s.Destination, s.Port}
}
func dropped(s recording.PacketDrop) ([]string, bool) {
	return []string{number(s.NetNS), s.Reason}, true
}

func filterRule(s recording.FirewallRule) ([]string, bool) {
	return []string{number(s.NetNS), strings.Join([]string{s.Family, s.TableOf, s.Chain, "rule", number(s.Index)}, " ")}, s.Counted
}

// protocolOf is a counter as nstat names it, with its network namespace.
func protocolOf(s recording.ProtocolSample) (netns, name string, value float64) {
	return number(s.NetNS), s.Protocol + s.Name, reading(s.Value)
}

// MySQL.

func statusOf(s recording.MySQLStatus) (server, name string, value float64) {
	return s.Server, s.Name, reading(s.Value)
}

type stateKey struct{ server, command, state string }

func stateID(s recording.MySQLState) stateKey     { return stateKey{s.Server, s.Command, s.State} }
func inStateCount(s recording.MySQLState) float64 { return reading(s.Count) }
func busyState(s recording.MySQLState) ([]string, bool) {
	return []string{s.Server, s.State}, s.Command != "Sleep" && s.State != ""
}

// inState are the connections of a server in certain states.
func inState(is func(state string) bool) of[recording.MySQLState] {
	return func(s recording.MySQLState) ([]string, bool) { return []string{s.Server}, is(s.State) }
}

func poolGroup(s recording.MySQLPoolGroup) ([]string, bool) {
	return []string{s.Server, "group " + number(s.Group)}, true
}

// maxText bounds the characters of a statement in the name of a line.
const maxText = 80

func statement(s recording.MySQLStatement) ([]string, bool) {
	text := s.Text
	if r := []rune(text); len(r) > maxText {
		text = string(r[:maxText]) + "… " + s.Digest[max(0, len(s.Digest)-6):]
	}
	return []string{s.Server, strings.TrimSpace(s.Schema + " " + text)}, true
}

// answered is how long a server was waited for at a look, whether it answered or not.
func answered(s recording.MySQLServer) float64 { return seconds(max(s.Waited, s.Answer)) }

func unanswered(v *view.View, add func(time.Time, ...string)) {
	for _, s := range view.Rows[recording.MySQLServer](v) {
		if s.State != recording.ServerAnswers && s.State != recording.ServerSlow {
			add(s.At, s.Server)
		}
	}
}

// Packets.

// when is a time at which something happened, or no time.
func when(at time.Time, did bool) time.Time {
	if !did {
		return time.Time{}
	}
	return at
}

// ofDNS is a number of a resolver only.
func ofDNS(s *recording.PacketService, x float64) float64 {
	if s.Proto != "dns" {
		return view.Unknown
	}
	return x
}

// as is a reader whose points are in another unit than the metric.
func as(unit string, r *Reader) *Reader {
	r.Unit = unit
	return r
}

// inBytes makes bytes of pages.
func inBytes(r *Reader) *Reader {
	pages := r.Read
	r.Read = func(v *view.View) []Series {
		list := pages(v)
		for i := range list {
			for j := range list[i].Points {
				list[i].Points[j].Value *= float64(v.PageSize())
			}
		}
		return list
	}
	return r
}
