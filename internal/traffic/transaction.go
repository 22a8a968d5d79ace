package traffic

import (
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/unit"
)

// transactionColumns are those of every list of transactions. The fixed widths
// are for lists that are printed as they come.
var transactionColumns = []document.Column{
	{Name: "start", Fixed: 15}, {Name: "RT", Right: true, Fixed: 7}, {Name: "upload", Right: true, Fixed: 7, Drop: 7},
	{Name: "server", Right: true, Fixed: 7, Drop: 5}, {Name: "download", Right: true, Fixed: 8, Drop: 4}, {Name: "resent", Right: true, Fixed: 7, Drop: 6},
	{Name: "client", Fixed: 21, Drop: 1}, {Name: "to", Fixed: 21, Drop: 3}, {Name: "proto", Fixed: 8, Drop: 8}, {Name: "frames", Fixed: 11, Drop: 0},
	{Name: "statement", Cut: true, Fixed: 400},
}

// wording words transactions. It remembers what it worded last: lists of millions
// say most of it again and again.
type wording struct {
	zone  *time.Location
	clock string // layout of times

	second    int64  // the one that begin is of
	begin     string // of the time, up to its fraction; "": none yet
	ends      [2]worded[flow.Endpoint]
	durations [64]worded[time.Duration]
}

type worded[T comparable] struct {
	of   T
	text string // "": nothing yet
}

func (w *worded[T]) word(of T, text func(T) string) string {
	if w.text == "" || w.of != of {
		*w = worded[T]{of, text(of)}
	}
	return w.text
}

// cells are those of one; what is not known is "-".
func (w *wording) cells(t *rt.Transaction) [11]string {
	k := known(t)
	resent := "-"
	if k.both && t.Retransmit > 0 {
		resent = w.phase(t.Retransmit, true)
	}
	protocol := t.Proto
	if t.Doubt&proto.Approximate != 0 {
		protocol = "~" + protocol
	}
	return [...]string{
		w.moment(t.Start), w.phase(t.RT, k.both), w.phase(t.Upload, k.request), w.phase(t.Serve, k.both), w.phase(t.Download, k.both),
		resent, w.ends[0].word(t.Client, flow.Endpoint.String), w.ends[1].word(t.Server, flow.Endpoint.String), protocol, frames(t), remark(t) + Statement(t.Command, t.Fingerprint),
	}
}

// moment is a time, whose layout ends in microseconds.
func (w *wording) moment(at int64) string {
	const micros = len("000000")
	if second := floorSecond(at); w.begin == "" || second != w.second {
		text := local(at, w.zone).Format(w.clock)
		w.second, w.begin = second, text[:len(text)-micros]
	}
	b := append(make([]byte, 0, 32), w.begin...)
	fraction := (at - w.second*int64(time.Second)) / int64(time.Microsecond)
	for digit := int64(100_000); digit > 0; digit /= 10 {
		b = append(b, byte('0'+fraction/digit%10))
	}
	return string(b)
}

// floorSecond is the second since 1970 that a moment is in, also one before it.
func floorSecond(at int64) int64 {
	second := at / int64(time.Second)
	if at%int64(time.Second) < 0 {
		second--
	}
	return second
}

func (w *wording) phase(d time.Duration, ok bool) string {
	if !ok {
		return "-"
	}
	return w.durations[uint64(d)*0x9e3779b97f4a7c15>>58].word(d, func(d time.Duration) string { return unit.Duration(d).String() })
}

func phase(d time.Duration, ok bool) string {
	if !ok {
		return "-"
	}
	return unit.Duration(d).String()
}

// parts is what was seen of a transaction.
type parts struct{ request, both bool }

func known(t *rt.Transaction) parts {
	request := t.Frames[0] != 0
	return parts{request, request && t.Frames[2] != 0}
}

// frames is the range of packet numbers.
func frames(t *rt.Transaction) string {
	first, last := t.Frames[0], max(t.Frames[1], t.Frames[3])
	if first == 0 {
		first = t.Frames[2]
	}
	if first == last {
		return strconv.FormatUint(first, 10)
	}
	b := strconv.AppendUint(make([]byte, 0, 24), first, 10)
	return string(strconv.AppendUint(append(b, '-'), last, 10))
}

// remark is what must be known of a transaction before its times are believed.
func remark(t *rt.Transaction) string {
	var words []string
	if t.Status != proto.Answered {
		words = append(words, t.Status.String())
	}
	if t.Failed {
		words = append(words, strings.TrimSpace("error "+escape.Text(t.Code)))
	}
	words = append(words, (t.Doubt &^ proto.Approximate).Words()...)
	if len(words) == 0 {
		return ""
	}
	return "[" + strings.Join(words, ", ") + "] "
}
