package traffic

import (
	"net/netip"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// JSON writes transactions as JSON, one object a line. It keeps what comes again
// and is used by one goroutine. What is not known is null.
type JSON struct {
	second int64  // the one that date holds
	date   []byte // up to the whole second
}

// Transaction appends a line.
//
// The phases are those of rt.Transaction: rt_ns is from the first copy of the
// last request packet to the first response packet, server_ns from its last
// copy. frames are the numbers of the first and last request packet and of the
// first and last response packet.
func (j *JSON) Transaction(b []byte, t *rt.Transaction) []byte {
	k := known(t)
	b = append(b, `{"start":"`...)
	b = j.time(b, t.Start)
	b = append(b, `","client":"`...)
	b = endpoint(b, t.Client)
	b = append(b, `","server":"`...)
	b = endpoint(b, t.Server)
	b = append(b, `","proto":`...)
	b = text(b, t.Proto)
	b = append(b, `,"command":`...)
	b = text(b, t.Command)
	b = append(b, `,"fingerprint":`...)
	b = text(b, t.Fingerprint)
	b = nanos(b, `,"rt_ns":`, t.RT, k.both)
	b = nanos(b, `,"upload_ns":`, t.Upload, k.request)
	b = nanos(b, `,"server_ns":`, t.Serve, k.both)
	b = nanos(b, `,"download_ns":`, t.Download, k.both)
	b = nanos(b, `,"idle_ns":`, t.Idle, k.request)
	b = nanos(b, `,"retransmit_ns":`, t.Retransmit, k.both)
	b = append(b, `,"status":`...)
	b = text(b, t.Status.String())
	b = append(b, `,"error":`...)
	b = text(b, t.Error)
	b = append(b, `,"frames":[`...)
	for i, f := range t.Frames {
		if i > 0 {
			b = append(b, ',')
		}
		if f == 0 {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendUint(b, f, 10)
		}
	}
	b = append(b, `],"id":`...)
	b = strconv.AppendUint(b, t.ID, 10)
	b = append(b, `,"connection":`...)
	b = strconv.AppendUint(b, t.Connection, 10)
	b = append(b, `,"failed":`...)
	b = strconv.AppendBool(b, t.Failed)
	b = append(b, `,"code":`...)
	b = text(b, t.Code)
	b = append(b, `,"doubt":[`...)
	for i, w := range t.Doubt.Words() {
		if i > 0 {
			b = append(b, ',')
		}
		b = text(b, w)
	}
	b = append(b, `],"rows":`...)
	b = count(b, t.Rows, t.Rows >= 0)
	b = append(b, `,"depth":`...)
	b = count(b, int64(t.Depth), t.Depth > 0)
	b = nanos(b, `,"total_ns":`, t.Total(), k.both)
	b = nanos(b, `,"ack_ns":`, t.Ack, k.both)
	b = nanos(b, `,"zero_window_ns":`, t.ZeroWindow, k.both)
	b = nanos(b, `,"delayed_ack_ns":`, t.DelayedACK, k.both)
	b = append(b, `,"request_bytes":`...)
	b = count(b, t.RequestBytes, k.request)
	b = append(b, `,"response_bytes":`...)
	b = count(b, t.ResponseBytes, t.Frames[2] != 0)
	b = append(b, `,"request_packets":`...)
	b = count(b, int64(t.RequestPackets), k.request)
	b = append(b, `,"response_packets":`...)
	b = count(b, int64(t.ResponsePackets), t.Frames[2] != 0)
	return append(b, '}', '\n')
}

// time appends RFC 3339 with nanoseconds, in UTC.
func (j *JSON) time(b []byte, at int64) []byte {
	second, rest := at/int64(time.Second), at%int64(time.Second)
	if rest < 0 {
		second, rest = second-1, rest+int64(time.Second)
	}
	if second != j.second || j.date == nil {
		j.second = second
		j.date = time.Unix(second, 0).UTC().AppendFormat(j.date[:0], "2006-01-02T15:04:05.")
	}
	b = append(b, j.date...)
	var digits [9]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + rest%10)
		rest /= 10
	}
	b = append(b, digits[:]...)
	return append(b, 'Z')
}

func endpoint(b []byte, e flow.Endpoint) []byte {
	return netip.AddrPortFrom(e.Addr.IP(), e.Port).AppendTo(b)
}

func nanos(b []byte, name string, d time.Duration, ok bool) []byte {
	return count(append(b, name...), int64(d), ok && d >= 0)
}

func count(b []byte, n int64, ok bool) []byte {
	if !ok {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}

// text appends a string, or null if it is empty.
func text(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return document.AppendString(b, s)
}
