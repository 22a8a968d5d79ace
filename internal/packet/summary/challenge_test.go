package summary

import (
	"testing"

	"rtrail/internal/packet/rt"
)

// TestMetChallenges keeps challenges countable by their code, and tells how many
// of them the client met, however the packets were spread over workers.
func TestMetChallenges(t *testing.T) {
	worker := func(refused int) *Statement {
		s := &Statement{}
		for range 3 {
			s.erred(&rt.Transaction{Failed: true, Code: "401"})
			s.met(&rt.Transaction{Code: "200", Challenges: 1, Challenge: "401"})
		}
		for range refused {
			s.erred(&rt.Transaction{Failed: true, Code: "401"})
		}
		return s
	}
	s := worker(2)
	s.mergeErrors(worker(1))
	if e := s.Errors[ErrorKind{Code: "401"}]; e.Count != 9 || e.Met != 6 {
		t.Errorf("%d of %d met, want 6 of 9", e.Met, e.Count)
	}
	if n := s.Codes()["401"]; n != 9 {
		t.Errorf("%d answers of code 401, want 9", n)
	}
}
