package mysql

import (
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// spans are times in which a table was being changed, as far as the process list
// tells: commands are counted when they begin, and the table is thrown out of the
// cache once more when they end. They are in order and apart from each other.
type spans [][2]time.Time

// touch says whether any of the time from one reading to the next one is in them.
func (s spans) touch(from, to time.Time) bool {
	at, _ := slices.BinarySearchFunc(s, from, func(x [2]time.Time, from time.Time) int { return x[1].Compare(from) })
	return at < len(s) && !s[at][0].After(to)
}

// add takes one that ends no earlier than the others.
func (s spans) add(from, until time.Time) spans {
	for len(s) > 0 && !s[len(s)-1][1].Before(from.Add(-1)) {
		if last := s[len(s)-1][0]; last.Before(from) {
			from = last
		}
		s = s[:len(s)-1]
	}
	return append(s, [2]time.Time{from, until})
}

// changesSeen are the changes of tables that the process list showed. One ends
// after the look that showed it last, and before the next one.
func changesSeen(v *view.View, s *view.MySQLServer) (list spans) {
	var looks []time.Time // at the process list, up to the window's end
	for _, r := range view.Rows[recording.MySQLState](v) {
		if r.Server == s.Server && (len(looks) == 0 || r.At.After(looks[len(looks)-1])) {
			looks = append(looks, r.At)
		}
	}
	for _, look := range v.SessionsOf(s.Server) {
		for _, r := range look {
			if !changesATable(&r) {
				continue
			}
			next, ends := slices.BinarySearchFunc(looks, r.At, time.Time.Compare)
			if ends {
				next++
			}
			until := v.End()
			if next < len(looks) {
				until = looks[next].Add(-1) // it was over then, or is seen again
			}
			list = list.add(r.At.Add(-max(r.For, 0)), until)
		}
	}
	return list
}

// changingStates are those of a session that changes a table, whatever its
// statement: a user without the privilege for it sees none.
var changingStates = []string{"altering table", "copy to tmp table", "preparing for alter table", "committing alter table to storage engine",
	"rename result table", "creating table", "enabling keys", "repair by sorting", "repair with keycache"}

// changesATable says whether a session changes the definition of a table. Others than
// tables are not in their cache, nor are temporary ones.
func changesATable(r *recording.MySQLSession) bool {
	if r.Command == "Sleep" {
		return false
	}
	if slices.Contains(changingStates, strings.ToLower(r.State)) {
		return true
	}
	words := strings.Fields(strings.ToLower(r.Statement[:min(len(r.Statement), 100)]))
	if len(words) < 2 || !slices.Contains([]string{"alter", "analyze", "create", "drop", "optimize", "rename", "repair", "truncate"}, words[0]) {
		return false
	}
	of := words[1]
	if of == "or" && len(words) > 3 { // CREATE OR REPLACE
		of = words[3]
	}
	return !slices.Contains([]string{"temporary", "user", "role", "server", "event", "function", "procedure", "sequence", "format=json"}, of)
}
