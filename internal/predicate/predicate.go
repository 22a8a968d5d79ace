// Package predicate reads from a statement which of its conditions no index on
// their column can serve, whatever indexes there are.
package predicate

import (
	"slices"
	"strings"

	"rtrail/internal/sqltoken"
)

// Form is why an index on a column finds none of the wanted rows.
type Form string

const (
	// Pattern: LIKE with a wildcard at the beginning, or a regular expression.
	Pattern Form = "pattern"
	// Computed: what is compared is not the column, but a function of it.
	Computed Form = "computed"
	// Number: the column is compared with a number. That is no fault unless the
	// column holds text: then the server converts every value of it.
	Number Form = "number"
	// Random: all rows are sorted by a random number.
	Random Form = "random"
)

// Condition is one that no index serves.
type Condition struct {
	Form          Form
	Schema, Table string // "" if the text does not tell
	Column        string // "" of Random
	By            string // what is done with the column: LIKE, REGEXP, DATE, +
	// Alone says that no other condition is joined to it by AND that an index on
	// another column could serve.
	Alone bool
}

// maxDepth of queries in queries that are read.
const maxDepth = 8

// Of lists the conditions of a statement and of its subqueries, in order. With
// literals replaced by ? it finds those of the forms Computed and Random.
func Of(text string) []Condition {
	t := sqltoken.Split(text)
	if slices.ContainsFunc(t, func(x sqltoken.Token) bool { return x.Text == sqltoken.Executable }) {
		return nil
	}
	return query(t, 0)
}

// clauses end the tables and the conditions of a query.
var clauses = []string{"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "FOR", "LOCK", "UNION", "EXCEPT", "INTERSECT", "INTO", "PROCEDURE", "WINDOW", "RETURNING", "SET"}

// query reads one query, and those in its parentheses.
func query(t []sqltoken.Token, depth int) (list []Condition) {
	if depth > maxDepth {
		return nil
	}
	if i := sqltoken.IndexAtTop(t, "UNION", "EXCEPT", "INTERSECT"); i >= 0 {
		return append(query(t[:i], depth), query(t[i+1:], depth+1)...)
	}
	tables := tablesOf(t)
	if i := sqltoken.IndexAtTop(t, "WHERE"); i >= 0 {
		found, served := tables.all(upTo(t[i+1:]))
		for _, c := range found {
			others := served
			if c.Form == Number {
				others-- // itself
			}
			c.Alone = others <= 0
			list = append(list, c)
		}
	}
	if i := sqltoken.IndexAtTop(t, "ORDER"); i >= 0 && i+3 < len(t) && t[i+1].Is("BY") && strings.EqualFold(t[i+2].Text, "RAND") && t[i+3].Text == "(" {
		c := Condition{Form: Random, By: "RAND", Alone: true}
		if len(tables) == 1 {
			c.Schema, c.Table = tables[0].schema, tables[0].name
		}
		list = append(list, c)
	}
	for i := 0; i < len(t); i++ {
		if t[i].Text != "(" || t[i].Quoted {
			continue
		}
		inner := sub(t[i:])
		if len(inner) > 0 && inner[0].Is("SELECT") {
			list = append(list, query(inner, depth+1)...)
			i += len(inner)
		}
	}
	return list
}

// sub is what is between the parenthesis at the beginning and its other half.
func sub(t []sqltoken.Token) []sqltoken.Token {
	depth := 0
	for i, x := range t {
		switch {
		case x.Quoted:
		case x.Text == "(":
			depth++
		case x.Text == ")":
			if depth--; depth == 0 {
				return t[1:i]
			}
		}
	}
	return nil
}

func upTo(t []sqltoken.Token) []sqltoken.Token {
	if i := sqltoken.IndexAtTop(t, clauses...); i >= 0 {
		return t[:i]
	}
	return t
}

// table is one that a query reads.
type table struct{ schema, name, alias string }

type tables []table

// tablesOf lists the tables of a query. A derived one has no name.
func tablesOf(t []sqltoken.Token) (list tables) {
	switch {
	case len(t) > 0 && t[0].Is("UPDATE"):
		t = upTo(t[1:])
	default:
		from := sqltoken.IndexAtTop(t, "FROM")
		if from < 0 {
			return nil
		}
		t = upTo(t[from+1:])
	}
	begins := true
	for i := 0; i < len(t); i++ {
		x := t[i]
		switch {
		case begins && !x.Quoted && x.Text == "(":
			list, begins = append(list, table{}), false
			i += len(sub(t[i:])) + 1
		case begins && x.Name() && !x.Is("LOW_PRIORITY"):
			y := table{name: x.Text}
			if i+2 < len(t) && t[i+1].Text == "." {
				y.schema, y.name = x.Text, t[i+2].Text
				i += 2
			}
			if i+1 < len(t) && t[i+1].Is("AS") {
				i++
			}
			if i+1 < len(t) && t[i+1].Name() {
				y.alias = t[i+1].Text
				i++
			}
			list, begins = append(list, y), false
		case !x.Quoted && x.Text == "(":
			i += len(sub(t[i:])) + 1
		case !x.Quoted && x.Text == "," || x.Is("JOIN") || x.Is("STRAIGHT_JOIN"):
			begins = true
		}
	}
	return list
}

// place puts the table of a column into a condition, if the text tells it.
func (l tables) place(c Condition, col column) Condition {
	c.Column = col.name
	for _, t := range l {
		switch {
		case t.name == "":
		case col.table == "" && len(l) == 1,
			col.table != "" && strings.EqualFold(col.table, t.alias),
			col.table != "" && t.alias == "" && strings.EqualFold(col.table, t.name):
			c.Schema, c.Table = t.schema, t.name
		}
	}
	return c
}

// all reads conditions that are joined by AND. served is how many of them an
// index on their column could serve.
func (l tables) all(t []sqltoken.Token) (found []Condition, served int) {
	t = unwrap(t)
	if branches := split(t, false, "OR", "XOR", "||"); len(branches) > 1 {
		whole := true
		for _, b := range branches {
			bad, n := l.all(b)
			found = append(found, bad...)
			whole = whole && n > 0
		}
		if whole {
			served = 1
		}
		return found, served
	}
	parts := split(t, true, "AND", "&&")
	if len(parts) == 1 {
		return l.one(parts[0])
	}
	for _, p := range parts {
		bad, n := l.all(p)
		found, served = append(found, bad...), served+n
	}
	return found, served
}

// split cuts at words outside of parentheses; the AND of a BETWEEN is none.
func split(t []sqltoken.Token, and bool, words ...string) (parts [][]sqltoken.Token) {
	depth, start, between := 0, 0, false
	for i, x := range t {
		switch {
		case x.Quoted:
		case x.Text == "(":
			depth++
		case x.Text == ")":
			depth--
		case depth > 0:
		case and && x.Is("BETWEEN"):
			between = true
		case slices.ContainsFunc(words, x.Is):
			if between {
				between = false
				continue
			}
			parts = append(parts, t[start:i])
			start = i + 1
		}
	}
	return append(parts, t[start:])
}

// unwrap takes parentheses off that enclose all of a condition.
func unwrap(t []sqltoken.Token) []sqltoken.Token {
	for len(t) > 2 && t[0].Text == "(" && !t[0].Quoted && len(sub(t)) == len(t)-2 {
		t = t[1 : len(t)-1]
	}
	return t
}

// one reads a single comparison.
func (l tables) one(t []sqltoken.Token) (found []Condition, served int) {
	if len(t) < 3 || t[0].Is("NOT") || t[0].Is("EXISTS") || t[0].Is("MATCH") || slices.ContainsFunc(t, func(x sqltoken.Token) bool { return x.Is("SELECT") }) {
		return nil, 0
	}
	at := operator(t)
	if at <= 0 || at+1 >= len(t) || t[at-1].Is("NOT") {
		return nil, 0
	}
	left, op, right := t[:at], t[at], t[at+1:]
	if _, ok := columnAt(right); ok && value(left) && !op.Name() && op.Text != "(" {
		left, right = right, left // 5 = a
	}
	if !value(right) {
		return nil, 0 // compared with a column
	}
	col, plain := columnAt(left)
	switch {
	case !plain:
		col, by, ok := computed(left)
		if !ok {
			return nil, 0
		}
		return []Condition{l.place(Condition{Form: Computed, By: by}, col)}, 0
	case op.Is("LIKE"):
		switch wild(right) {
		case yes:
			return []Condition{l.place(Condition{Form: Pattern, By: "LIKE"}, col)}, 0
		case no:
			return nil, 1
		}
		return nil, 0
	case op.Is("REGEXP") || op.Is("RLIKE"):
		return []Condition{l.place(Condition{Form: Pattern, By: "REGEXP"}, col)}, 0
	case !op.Is("IS") && number(right):
		return []Condition{l.place(Condition{Form: Number, By: strings.ToUpper(op.Text)}, col)}, 1
	}
	return nil, 1
}

// operators of which an index can serve the plain column.
var operators = []string{"=", "<=>", "<", ">", "<=", ">=", "IN", "LIKE", "RLIKE", "REGEXP", "BETWEEN", "IS"}

// operator is where the comparison is; -1 for others, as those with <>.
func operator(t []sqltoken.Token) int {
	depth, arrow := 0, false
	for i, x := range t {
		switch {
		case x.Quoted:
		case x.Text == "(":
			depth++
		case x.Text == ")":
			depth--
		case depth > 0:
		case x.Text == ">" && i > 0 && t[i-1].End == x.At && (t[i-1].Text == "-" || arrow):
			arrow = true // a->'$.b', a->>'$.b'
			continue
		case slices.ContainsFunc(operators, x.Is):
			return i
		}
		arrow = false
	}
	return -1
}

// column is one with the table before its dot.
type column struct{ table, name string }

// columnAt reads a column, qualified or not, of which all of an expression consists.
func columnAt(t []sqltoken.Token) (c column, ok bool) {
	t = unwrap(t)
	if len(t) == 0 || len(t)%2 == 0 || len(t) > 5 {
		return c, false
	}
	for i, x := range t {
		if i%2 == 1 && x.Text != "." || i%2 == 0 && !named(x) {
			return c, false
		}
	}
	c.name = t[len(t)-1].Text
	if len(t) > 2 {
		c.table = t[len(t)-3].Text
	}
	return c, true
}

// named says whether a token names a column, if no parenthesis follows.
func named(x sqltoken.Token) bool {
	return x.Name() && (x.Quoted || !strings.HasPrefix(x.Text, "@") && !slices.ContainsFunc(constants, x.Is))
}

// constants are functions that need no parentheses.
var constants = []string{"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "CURRENT_USER", "ESCAPE",
	"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "CHAR", "SIGNED", "UNSIGNED", "DATE", "DATETIME", "DECIMAL", "TIME", "BOTH", "LEADING", "TRAILING"}

// columnIn is the first column of an expression.
func columnIn(t []sqltoken.Token) (c column, ok bool) {
	for i, x := range t {
		if !named(x) || i+1 < len(t) && t[i+1].Text == "(" || i > 0 && t[i-1].Is("COLLATE") {
			continue
		}
		end := i + 1
		for end+1 < len(t) && t[end].Text == "." && named(t[end+1]) {
			end += 2
		}
		return columnAt(t[i:end])
	}
	return c, false
}

// value says that an expression holds no column: its value is known before any
// row is read.
func value(t []sqltoken.Token) bool {
	_, ok := columnIn(t)
	return !ok && len(t) > 0
}

// byIndex are functions that indexes of their own kind serve.
var byIndex = []string{"MATCH", "JSON_CONTAINS", "JSON_OVERLAPS", "MEMBER"}

// computed says which column an expression is made of, and how.
func computed(t []sqltoken.Token) (c column, by string, ok bool) {
	t = unwrap(t)
	c, ok = columnIn(t)
	if !ok {
		return c, "", false
	}
	for i, x := range t {
		called := i+1 < len(t) && t[i+1].Text == "(" && x.Text != "" && (x.Quoted || x.Text[0] >= 'A')
		upper := strings.ToUpper(x.Text)
		switch {
		case called && (slices.Contains(byIndex, upper) || strings.HasPrefix(upper, "ST_") || strings.HasPrefix(upper, "MBR")):
			return c, "", false
		case called || x.Is("COLLATE") || x.Is("BINARY") || x.Is("CASE") || x.Is("DIV") || x.Is("MOD"):
			return c, upper, true
		case !x.Quoted && len(x.Text) == 1 && strings.Contains("+-*/%&|^", x.Text):
			if x.Text == "-" && i+1 < len(t) && t[i+1].Text == ">" {
				return c, "->", true
			}
			return c, x.Text, true
		}
	}
	return c, "", false
}

type answer int

const (
	unknown answer = iota
	yes
	no
)

// wild says whether a pattern begins with a wildcard.
func wild(t []sqltoken.Token) answer {
	if len(t) > 2 && strings.EqualFold(t[0].Text, "CONCAT") && t[1].Text == "(" {
		t = t[2:]
	}
	if len(t) == 0 || t[0].Quoted || len(t[0].Text) < 2 || t[0].Text[0] != '\'' && t[0].Text[0] != '"' {
		return unknown
	}
	if c := t[0].Text[1]; c == '%' || c == '_' {
		return yes
	}
	return no
}

// number says whether an expression is a number, or a list that begins with one.
func number(t []sqltoken.Token) bool {
	for len(t) > 0 && !t[0].Quoted && (t[0].Text == "(" || t[0].Text == "-" || t[0].Text == "+") {
		t = t[1:]
	}
	if len(t) == 0 || t[0].Quoted || t[0].Text == "" || t[0].Text[0] < '0' || t[0].Text[0] > '9' {
		return false
	}
	lower := strings.ToLower(t[0].Text)
	return !strings.HasPrefix(lower, "0x") && !strings.HasPrefix(lower, "0b") // text as its bytes
}
