package mysql

import (
	"slices"
	"strings"

	"rtrail/internal/sqltoken"
)

// reading is the SELECT that reads the rows a statement reads, to be explained in
// its place: EXPLAIN of a write needs the privilege to write and is refused in a
// read-only session, and MySQL 5.6 and MariaDB lock a row that they look up by
// its key although they only explain a locking SELECT.
type reading struct {
	text   string
	tokens []sqltoken.Token
	tables []readTable
	// derived says that one of the tables is made by a SELECT of its own.
	// Conditions of joins that hold a subquery count: better once too often.
	derived bool
}

// readingOf finds it. ok is false for statements that read no table, and for
// those of which it is not clear what they read.
func readingOf(text string) (r reading, ok bool) {
	t := sqltoken.Split(text)
	first := slices.IndexFunc(t, func(x sqltoken.Token) bool { return x.Text != "(" || x.Quoted })
	if first < 0 || slices.ContainsFunc(t, func(x sqltoken.Token) bool { return x.Text == "?" || x.Text == sqltoken.Executable }) {
		return r, false // a prepared statement without its values; or who knows what
	}
	top := func(keywords ...string) int { return sqltoken.IndexAtTop(t, keywords...) }
	at := func(i int) int { // the byte where a token begins; the end without it
		if i < 0 || i >= len(t) {
			return len(text)
		}
		return t[i].At
	}
	end := func() int { return at(tail(t)) }
	switch {
	case t[first].Is("SELECT"):
		r.text = text[:end()]
	case first > 0:
		return r, false
	case t[0].Is("UPDATE"):
		set := top("SET")
		if set < 0 {
			return r, false
		}
		r.text = "SELECT * FROM " + text[at(afterModifiers(t)):at(set)]
		if where := top("WHERE", "ORDER", "LIMIT"); where > set {
			r.text += text[at(where):end()]
		}
	case t[0].Is("DELETE"):
		from := top("FROM")
		if using := top("USING"); using > from && using+1 < len(t) && t[using+1].Text != "(" {
			from = using // DELETE FROM a USING a JOIN b
		}
		if from < 0 || from+1 >= len(t) {
			return r, false
		}
		r.text = "SELECT * FROM " + text[at(from+1):end()]
	case t[0].Is("INSERT"), t[0].Is("REPLACE"):
		from := top("SELECT")
		if from < 0 || top("WITH") >= 0 {
			return r, false // only values, or a SELECT that cannot stand alone
		}
		r.text = text[at(from):end()]
	default:
		return r, false
	}
	r.text = strings.TrimSpace(r.text)
	r.tokens = sqltoken.Split(r.text)
	r.tables, r.derived = tablesOf(r.tokens)
	return r, (len(r.tables) > 0 || r.derived) && !locks(r.tokens) // those in parentheses stay
}

// afterModifiers is the first token behind the verb of a write that is none of
// its modifiers.
func afterModifiers(t []sqltoken.Token) int {
	i := 1
	for i < len(t) && (t[i].Is("LOW_PRIORITY") || t[i].Is("IGNORE")) {
		i++
	}
	return i
}

// tail is where a statement says what happens to the rows it found: locks,
// returned rows, updates of duplicates. -1: it does not.
func tail(t []sqltoken.Token) int {
	depth := 0
	for i, x := range t {
		switch {
		case x.Text == "(" && !x.Quoted:
			depth++
		case x.Text == ")" && !x.Quoted:
			depth--
		case depth == 0 && i > 0 && (lockAt(t, i) || x.Text == ";" || x.Is("RETURNING") || x.Is("ON") && i+1 < len(t) && t[i+1].Is("DUPLICATE")):
			return i
		}
	}
	return -1
}

// lockAt says whether a locking clause begins at a token.
func lockAt(t []sqltoken.Token, i int) bool {
	if i+1 >= len(t) {
		return false
	}
	return t[i].Is("FOR") && (t[i+1].Is("UPDATE") || t[i+1].Is("SHARE")) || t[i].Is("LOCK") && t[i+1].Is("IN")
}

func locks(t []sqltoken.Token) bool {
	for i := range t {
		if lockAt(t, i) {
			return true
		}
	}
	return false
}

// clauseEnds are the keywords with which the list of tables ends.
var clauseEnds = []string{"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "PROCEDURE", "INTO"}

// tablesOf lists the tables of a SELECT and of its subqueries.
func tablesOf(t []sqltoken.Token) (names []readTable, derived bool) {
	lists := []bool{false} // by depth of parentheses: in a list of tables
	for i, x := range t {
		in := &lists[len(lists)-1]
		switch {
		case x.Quoted:
		case x.Text == "(":
			lists = append(lists, *in)
			continue
		case x.Text == ")":
			if len(lists) > 1 {
				lists = lists[:len(lists)-1]
			}
			continue
		case x.Is("FROM"):
			*in = true
			continue
		case x.Is("SELECT") || x.Is("VALUES") || x.Is("WITH") || x.Is("TABLE"):
			derived = derived || *in // else it heads the statement, or follows UNION
			*in = false
			continue
		case slices.ContainsFunc(clauseEnds, x.Is):
			*in = false
			continue
		}
		if *in && x.Name() && i > 0 && beginsTable(t[i-1]) {
			names = append(names, nameAt(t[i:]))
		}
	}
	return names, derived
}

func beginsTable(t sqltoken.Token) bool {
	return !t.Quoted && (t.Text == "," || t.Text == "(" || t.Is("FROM") || t.Is("JOIN") || t.Is("STRAIGHT_JOIN"))
}

// readTable is the name of a table that is read, maybe with its schema.
type readTable struct{ schema, table string }

func nameAt(t []sqltoken.Token) readTable {
	if len(t) > 2 && t[1].Text == "." {
		return readTable{t[0].Text, t[2].Text}
	}
	return readTable{table: t[0].Text}
}

// selects counts the SELECTs of it.
func (r reading) selects() (n int) {
	for _, x := range r.tokens {
		if x.Is("SELECT") {
			n++
		}
	}
	return n
}
