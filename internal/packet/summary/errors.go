package summary

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// maxErrorKinds are told apart per statement. Of a statement that fails in more
// ways, the rest is counted together.
const maxErrorKinds = 16

// OtherCodes stands for the codes of errors that are counted together.
const OtherCodes = "(other codes)"

// ErrorKind is what tells the errors of a statement apart.
type ErrorKind struct {
	Code     string // "" without one
	CutShort bool   // the connection ended within the answer: the code, if any, is that of what had come
}

// Errors sums up errors of one kind.
type Errors struct {
	Count uint64
	Met   uint64        // of Count, challenges that the client's next request met: it brought the credentials that were asked for, and they were taken
	Timed uint64        // of Count, those whose times count
	Sum   time.Duration // of their RT
	First int64         // when the first one was asked for
	Text  string        // of one of them
}

func (e *Errors) add(t *rt.Transaction) {
	if e.Count == 0 || t.Start < e.First {
		e.First, e.Text = t.Start, t.Error
	}
	e.Count++
	if t.Usable() {
		e.Timed++
		e.Sum += t.RT
	}
}

func (e *Errors) merge(o *Errors) {
	if o.Count == 0 {
		return
	}
	if e.Count == 0 || o.First < e.First {
		e.First, e.Text = o.First, o.Text
	}
	e.Count += o.Count
	e.Met += o.Met
	e.Timed += o.Timed
	e.Sum += o.Sum
}

// erred counts an error.
func (s *Statement) erred(t *rt.Transaction) {
	if s.Errors == nil {
		s.Errors, s.Error = map[ErrorKind]*Errors{}, t.Error
	}
	k := ErrorKind{t.Code, t.Error == proto.EndedWithin}
	e := s.Errors[k]
	switch {
	case e != nil:
	case len(s.Errors) >= maxErrorKinds:
		e, s.Overflow = &s.Others, true
	default:
		e = &Errors{}
		s.Errors[k] = e
	}
	e.add(t)
}

// met takes errors that turned out to be challenges, by the answer after them.
func (s *Statement) met(t *rt.Transaction) {
	if e := s.Errors[ErrorKind{Code: t.Challenge}]; e != nil {
		e.Met += uint64(t.Challenges)
	} else if s.Overflow {
		s.Others.Met += uint64(t.Challenges)
	}
}

// mergeErrors adds what another worker counted. Which kinds stay apart must not
// depend on the order of a map: the most frequent ones do.
func (s *Statement) mergeErrors(o *Statement) {
	if o.Errors == nil {
		return
	}
	if s.Errors == nil {
		s.Errors, s.Error = map[ErrorKind]*Errors{}, o.Error
	}
	s.Others.merge(&o.Others)
	for k, e := range o.Errors {
		if mine := s.Errors[k]; mine != nil {
			mine.merge(e)
		} else {
			s.Errors[k] = e
		}
	}
	kinds := s.ErrorKinds()
	for _, k := range kinds[min(len(kinds), maxErrorKinds):] {
		s.Others.merge(s.Errors[k])
		delete(s.Errors, k)
		s.Overflow = true
	}
}

// ErrorKinds are the kinds of errors that are told apart, the most frequent ones
// first.
func (s *Statement) ErrorKinds() []ErrorKind {
	var kinds []ErrorKind
	for k := range s.Errors {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b ErrorKind) int {
		return cmp.Or(cmp.Compare(s.Errors[b].Count, s.Errors[a].Count), cmp.Compare(a.Code, b.Code), cmp.Compare(s.Errors[a].Text, s.Errors[b].Text))
	})
	return kinds
}

// Codes counts errors by code; nil if there were none.
func (s *Statement) Codes() map[string]uint64 {
	if s.Errors == nil {
		return nil
	}
	codes := map[string]uint64{}
	for k, e := range s.Errors {
		codes[k.Code] += e.Count
	}
	if s.Others.Count > 0 {
		codes[OtherCodes] = s.Others.Count
	}
	return codes
}
