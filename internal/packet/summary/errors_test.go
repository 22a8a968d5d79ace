package summary

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

func failed(code string, took time.Duration) *rt.Transaction {
	return transaction(100*second, took, func(x *rt.Transaction) { x.Failed, x.Code, x.Error = true, code, "text of "+code })
}

// only is the one statement of a summary.
func only(t *testing.T, sum *Summary) *Statement {
	t.Helper()
	for _, s := range sum.Statements {
		return s
	}
	t.Fatal("no statement")
	return nil
}

// Errors of one statement are counted by code, with their times, on all workers.
func TestErrorsByCode(t *testing.T) {
	c := New(2, Options{})
	for worker, n := range []int{30, 70} {
		for range n {
			c.Worker(worker).Transaction(transaction(100*second, 9*time.Millisecond, nil))
		}
	}
	for i := range 60 {
		c.Worker(i % 2).Transaction(failed("500", 2*time.Millisecond))
	}
	for range 40 {
		c.Worker(1).Transaction(failed("404", time.Millisecond))
	}
	doubtful := failed("404", time.Hour)
	doubtful.Doubt = proto.Ambiguous
	c.Worker(0).Transaction(doubtful)
	cut := failed("500", time.Millisecond)
	cut.Error = proto.EndedWithin
	c.Worker(0).Transaction(cut)
	s := only(t, c.Result())
	got := map[ErrorKind]Errors{}
	for k, e := range s.Errors {
		got[k] = *e
	}
	want := map[ErrorKind]Errors{
		{Code: "500"}:                 {Count: 60, Timed: 60, Sum: 120 * time.Millisecond, First: 100 * second, Text: "text of 500"},
		{Code: "404"}:                 {Count: 41, Timed: 40, Sum: 40 * time.Millisecond, First: 100 * second, Text: "text of 404"},
		{Code: "500", CutShort: true}: {Count: 1, Timed: 1, Sum: time.Millisecond, First: 100 * second, Text: proto.EndedWithin},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]uint64{"500": 61, "404": 41}, s.Codes()); diff != "" || s.Failed != 102 {
		t.Errorf("%d failed, by code: %s", s.Failed, diff)
	}
}

// However many codes there are, memory is bounded, nothing is lost, and the
// frequent ones stay apart.
func TestErrorsAreBounded(t *testing.T) {
	c := New(2, Options{})
	for worker := range 2 {
		for code := range 30 {
			for range 1 + code%maxErrorKinds {
				c.Worker(worker).Transaction(failed(fmt.Sprint(worker, code), time.Millisecond))
			}
		}
	}
	s := only(t, c.Result())
	var n uint64
	for _, v := range s.Codes() {
		n += v
	}
	if len(s.Errors) != maxErrorKinds || n != uint64(s.Failed) || !s.Overflow {
		t.Errorf("%d kinds with %d of %d errors, overflow %v", len(s.Errors), n, s.Failed, s.Overflow)
	}
	for worker := range 2 {
		if e := s.Errors[ErrorKind{Code: fmt.Sprint(worker, maxErrorKinds-1)}]; e == nil || e.Count != maxErrorKinds {
			t.Errorf("the most frequent code of worker %d: %+v, want %d", worker, e, maxErrorKinds)
		}
	}
}
