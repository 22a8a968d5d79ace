package mysql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
)

// reads is a tape with other names for statements.
type reads struct {
	*tape
	of func(statement string) string
}

func (r *reads) Query(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return r.tape.Query(ctx, r.of(statement))
}

// Waits that are over when the locks are read do not mean that nobody watches them.
func TestMetadataLocksThatAreNotSeen(t *testing.T) {
	const locks, instrument = "the locks", "the instrument"
	for name, x := range map[string]struct {
		locks   []string // rows
		enabled []string // answers about the instrument, one to each question; the last one goes on
		refused bool
		absent  bool
		asked   int // how often about the instrument, in three looks
	}{
		"the waits are over":                 {enabled: []string{"YES"}, asked: 1},
		"not watched":                        {enabled: []string{"NO"}, absent: true, asked: 3},
		"watched after the advice":           {enabled: []string{"NO", "YES"}, asked: 2},
		"somebody waits":                     {locks: []string{"TABLE"}, enabled: []string{"NO"}},
		"the instruments may not be read":    {refused: true, asked: 3},
		"there is no such instrument at all": {enabled: []string{""}, absent: true, asked: 3},
	} {
		t.Run(name, func(t *testing.T) {
			answers := &tape{answers: map[string][]tapeAnswer{}}
			table := func(column string, values ...string) tapeAnswer {
				a := fixture.Answer{Columns: []string{column}}
				for _, v := range values {
					if v != "" {
						a.Rows = append(a.Rows, []fixture.Value{{Text: v}})
					}
				}
				return tapeAnswer{answer: a}
			}
			reader := &reads{tape: answers, of: func(statement string) string {
				if strings.Contains(statement, "FROM performance_schema.metadata_locks") {
					return locks
				}
				if strings.Contains(statement, "FROM performance_schema.setup_instruments WHERE NAME = 'wait/lock/metadata/sql/mdl'") {
					return instrument
				}
				return statement
			}}
			answers.answers[locks] = []tapeAnswer{table("type", x.locks...)}
			for _, enabled := range x.enabled {
				answers.answers[instrument] = append(answers.answers[instrument], table("enabled", enabled))
			}
			if x.refused {
				answers.answers[instrument] = []tapeAnswer{{err: &driver.MySQLError{Number: 1142, Message: "SELECT command denied"}}}
			}
			s := newServer(mysqlconn.Target{}, Options{}, nil)
			s.about = identify("9.7.4", "")
			s.about.schema = true
			s.link = reader
			var err error
			for range 3 {
				_, err = (&look{server: s, ctx: t.Context(), w: recording.NewWriter(time.Now())}).metadataLocks()
			}
			a, absent := errors.AsType[*absence](err)
			if absent != x.absent || absent && !strings.Contains(a.how, "setup_instruments SET ENABLED='YES'") || (err != nil) != (x.absent || x.refused) {
				t.Errorf("%v, want absence: %v, refusal: %v", err, x.absent, x.refused)
			}
			asked := 0
			for _, q := range answers.asked {
				if q == instrument {
					asked++
				}
			}
			if asked != x.asked {
				t.Errorf("asked %d times about the instrument, want %d", asked, x.asked)
			}
		})
	}
}
