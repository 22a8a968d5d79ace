package rt

import (
	"strings"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/redact"
)

// blank is a transaction in which nothing is known.
func (w *Tracker) blank() *Transaction {
	if n := len(w.free); n > 0 {
		t := w.free[n-1]
		w.free = w.free[:n-1]
		*t = Transaction{Ack: -1, Idle: -1}
		return t
	}
	return &Transaction{Ack: -1, Idle: -1}
}

// Datagram gives out an exchange that needed no connection, such as DNS.
func (w *Tracker) Datagram(protocol string, connection uint64, client, server flow.Endpoint, space flow.Space, e *proto.Exchange) {
	t := w.blank()
	t.Connection, t.Client, t.Server, t.Space, t.Proto = connection, client, server, space, protocol
	w.fill(t, e)
	t.Question = questionOf(e)
	if last := e.LastCopy; e.Response.Empty() && last.Frame != 0 {
		t.Copied = time.Duration(max(0, last.At-t.Start))
	}
	w.Sink.Transaction(t)
	w.free = append(w.free, t)
}

// maxPhase is the longest time that a request or an answer is believed to take:
// connections on which nothing is said for hours are given up anyway.
const maxPhase = 30 * 24 * time.Hour

// fill copies what the decoder said and works the phases out.
func (w *Tracker) fill(t *Transaction, e *proto.Exchange) {
	t.ID = e.Request.First.Frame
	t.Command, t.Status, t.Doubt, t.Failed = e.Command, e.Status, e.Doubt, e.Failed
	t.Code, t.Error = w.keep(e.Code), w.errorText(t.Proto, e)
	t.Rows, t.Depth = e.Rows, e.Depth
	t.Challenges, t.Challenge = e.Challenges, e.Challenge
	if w.Fingerprint != nil && (len(e.Text) > 0 || e.Command != "") {
		t.Fingerprint = w.Fingerprint(t.Proto, e.Command, e.Text, e.TextCut)
		if asksToSleep(t.Proto, t.Fingerprint) {
			t.Doubt |= proto.Blocking
		}
	}
	q, r := &e.Request, &e.Response
	t.RequestBytes, t.ResponseBytes = q.Bytes(), r.Bytes()
	t.RequestOffset, t.ResponseOffset = q.Start, r.Start
	t.RequestPackets, t.ResponsePackets = q.Packets, r.Packets
	t.Frames = [4]uint64{q.First.Frame, q.Last.Frame, r.First.Frame, r.Last.Frame}
	t.Start = q.First.At
	if q.Empty() {
		t.Start = r.First.At
		t.ID = r.First.Frame
	}
	if q.Empty() || r.Empty() {
		t.Upload = time.Duration(q.Last.At - q.First.At)
		return
	}
	// An answer may begin before the request is complete, when a server refuses
	// it early: then nothing was waited for.
	asked := min(q.Last.At, r.First.At)
	t.Upload = time.Duration(max(0, asked-q.First.At))
	t.RT = time.Duration(r.First.At - asked)
	t.Serve = t.RT
	t.Download = time.Duration(r.Last.At - r.First.At)
	if max(t.Upload, t.RT, t.Download) > maxPhase {
		// The clock of the capture was set in between. As sums overflow with such
		// times, none is kept.
		t.Doubt |= proto.Ambiguous
		t.Upload, t.RT, t.Serve, t.Download = 0, 0, 0, 0
		return
	}
	if last := e.LastCopy.At; e.LastCopy.Frame != 0 && last > asked && last <= r.First.At {
		t.Serve = time.Duration(r.First.At - last)
		t.Retransmit = time.Duration(last - asked)
	}
}

// errorText is the text of an error without literals. What the decoder says itself
// has none.
func (w *Tracker) errorText(protocol string, e *proto.Exchange) string {
	if e.Error == "" || e.Error == proto.EndedWithin {
		return e.Error
	}
	const maxTexts = 1024 // texts; hostile ones are not the same twice
	k := message{protocol, e.Code, e.Error}
	if shown, ok := w.messages[k]; ok {
		return shown
	}
	if w.messages == nil || len(w.messages) >= maxTexts {
		w.messages = map[message]string{}
	}
	shown := w.keep(redact.Message(protocol, e.Code, e.Error))
	k.code, k.text = strings.Clone(k.code), strings.Clone(k.text) // the decoder will write over them
	w.messages[k] = shown
	return shown
}

// message is an error as a server words it.
type message struct{ protocol, code, text string }

// keep returns one copy of words that come again and again, so that those who
// hold transactions do not hold the packets, nor what a decoder has in its
// buffers during the call only.
func (w *Tracker) keep(word string) string {
	const maxWords = 4096 // codes of errors and answers are few; hostile input is not
	if word == "" {
		return ""
	}
	if kept, ok := w.codes[word]; ok {
		return kept
	}
	if w.codes == nil || len(w.codes) >= maxWords {
		w.codes = map[string]string{}
	}
	word = strings.Clone(word) // the decoder will write over it
	w.codes[word] = word
	return word
}

// questionOf hashes what a datagram asks (FNV-1a): a client that has no answer asks
// the same again, from another port too.
func questionOf(e *proto.Exchange) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(e.Command) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h *= 1099511628211
	for _, c := range e.Text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
