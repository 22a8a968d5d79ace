package traffic

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/unit"
)

// transactionColumns are those of every list of transactions. The fixed widths
// are for lists that are printed as they come.
var transactionColumns = []column{
	{title: "start", fixed: 15}, {title: "RT", right: true, fixed: 7}, {title: "upload", right: true, fixed: 7, drop: 7},
	{title: "server", right: true, fixed: 7, drop: 5}, {title: "download", right: true, fixed: 8, drop: 4}, {title: "resent", right: true, fixed: 7, drop: 6},
	{title: "client", fixed: 21, drop: 1}, {title: "to", fixed: 21, drop: 3}, {title: "proto", fixed: 8, drop: 8}, {title: "frames", fixed: 11, drop: 0},
	{title: "statement", text: true, fixed: 400},
}

// transactionCells are the cells of one, with times in a layout; what is not known is "-".
func transactionCells(t *rt.Transaction, zone *time.Location, clock string) []string {
	k := known(t)
	resent := "-"
	if k.both && t.Retransmit > 0 {
		resent = unit.Duration(t.Retransmit).String()
	}
	protocol := t.Proto
	if t.Doubt&proto.Approximate != 0 {
		protocol = "~" + protocol
	}
	return []string{
		local(t.Start, zone).Format(clock), phase(t.RT, k.both), phase(t.Upload, k.request), phase(t.Serve, k.both), phase(t.Download, k.both),
		resent, t.Client.String(), t.Server.String(), protocol, frames(t), remark(t) + Statement(t.Command, t.Fingerprint),
	}
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
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
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
