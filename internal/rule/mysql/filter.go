package mysql

import (
	"slices"
	"strings"

	"rtrail/internal/sqltoken"
)

// filter is what a statement says about the rows it wants of one table: enough
// to tell which index would find them. Only what is certain from the text is in
// it.
type filter struct {
	schema, table string
	joins         bool     // more than one table, or a subquery: the index cannot be told from the text
	equal         []string // columns compared for equality, in order
	ranges        []string // columns compared with <, >, BETWEEN
	like          []string // an index helps only where the pattern begins with a letter
	computed      []string // columns inside of functions or expressions: no index on them helps
	or            bool     // alternatives: each needs an index of its own
	order         []string // ORDER BY, if all columns are plain and go one way
	where         bool
	limit         bool
	aggregates    bool // rows sent say nothing of rows wanted: COUNT, GROUP BY, DISTINCT
}

// index lists the columns of the index that would serve; nil if the text does
// not tell: equality first, then one range or the order.
func (f filter) index() []string {
	if f.table == "" || f.joins || f.or {
		return nil
	}
	columns := slices.Clone(f.equal)
	switch {
	case len(f.ranges) > 0:
		columns = append(columns, f.ranges[0])
	case len(f.order) > 0 && (f.limit || len(columns) > 0):
		columns = append(columns, f.order...)
	case len(columns) == 0 && len(f.like) > 0:
		return nil
	}
	var once []string
	for _, c := range columns {
		if !slices.Contains(once, c) {
			once = append(once, c)
		}
	}
	return once
}

// parseFilter reads a SELECT, UPDATE or DELETE without literals, as digests and
// fingerprints write it. ok is false for other statements and where the text is
// cut before its tables.
func parseFilter(text string) (f filter, ok bool) {
	t := sqltoken.Split(text)
	if i := slices.IndexFunc(t, func(x sqltoken.Token) bool { return x.Is("SELECT") }); i > 0 && (t[0].Is("INSERT") || t[0].Is("REPLACE") || t[0].Is("CREATE")) {
		t = t[i:]
	}
	if len(t) == 0 {
		return f, false
	}
	var tables, rest []sqltoken.Token
	switch {
	case t[0].Is("SELECT"):
		from := sqltoken.IndexAtTop(t, "FROM")
		if from < 0 {
			return f, false
		}
		f.aggregates = aggregates(t[1:from])
		tables, rest = split(t[from+1:])
	case t[0].Is("DELETE"):
		from := sqltoken.IndexAtTop(t, "FROM")
		if from < 0 {
			return f, false
		}
		tables, rest = split(t[from+1:])
	case t[0].Is("UPDATE"):
		set := sqltoken.IndexAtTop(t, "SET")
		if set < 0 {
			return f, false
		}
		tables = t[1:set]
		_, rest = split(t[set+1:])
	default:
		return f, false
	}
	f.readTables(tables)
	if f.table == "" && !f.joins {
		return f, false
	}
	f.readClauses(rest)
	return f, true
}

// clauses that may follow the tables of a statement.
var clauses = []string{"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "FOR", "LOCK", "UNION", "INTO", "PROCEDURE", "WINDOW", "OFFSET", "FETCH", "RETURNING"}

// split parts the tables from the clauses behind them.
func split(t []sqltoken.Token) (tables, rest []sqltoken.Token) {
	i := sqltoken.IndexAtTop(t, clauses...)
	if i < 0 {
		return t, nil
	}
	return t[:i], t[i:]
}

// readTables finds the table if there is only one.
func (f *filter) readTables(t []sqltoken.Token) {
	for len(t) > 0 && (t[0].Is("LOW_PRIORITY") || t[0].Is("IGNORE")) {
		t = t[1:]
	}
	if len(t) == 0 {
		return
	}
	for _, x := range t {
		if x.Text == "," || x.Text == "(" || x.Is("JOIN") || x.Is("STRAIGHT_JOIN") {
			f.joins = true
		}
	}
	if !t[0].Name() {
		return
	}
	f.table = t[0].Text
	if len(t) > 2 && t[1].Text == "." && t[2].Name() {
		f.schema, f.table = t[0].Text, t[2].Text
	}
}

func (f *filter) readClauses(t []sqltoken.Token) {
	for len(t) > 0 {
		end := sqltoken.IndexAtTop(t[1:], clauses...) + 1
		if end == 0 {
			end = len(t)
		}
		body := t[1:end]
		switch {
		case t[0].Is("WHERE"):
			f.where = true
			f.readConditions(body)
		case t[0].Is("GROUP"), t[0].Is("HAVING"):
			f.aggregates = true
		case t[0].Is("ORDER"):
			f.readOrder(body)
		case t[0].Is("LIMIT"), t[0].Is("FETCH"):
			f.limit = true
		case t[0].Is("UNION"):
			f.joins = true
			return
		}
		t = t[end:]
	}
}

// readConditions takes apart what WHERE joins by AND.
func (f *filter) readConditions(t []sqltoken.Token) {
	t = unwrap(t)
	if sqltoken.IndexAtTop(t, "OR", "XOR") >= 0 || slices.ContainsFunc(t, func(x sqltoken.Token) bool { return x.Text == "||" }) {
		f.or = true
		return
	}
	depth, start, between := 0, 0, false
	for i, x := range t {
		switch {
		case x.Text == "(":
			depth++
		case x.Text == ")":
			depth--
		case depth > 0:
		case x.Is("BETWEEN"):
			between = true
		case x.Is("AND") || x.Text == "&&":
			if between {
				between = false
				continue
			}
			f.readCondition(t[start:i])
			start = i + 1
		}
	}
	f.readCondition(t[start:])
}

func (f *filter) readCondition(t []sqltoken.Token) {
	if inner := unwrap(t); len(inner) < len(t) {
		f.readConditions(inner)
		return
	}
	if slices.ContainsFunc(t, func(x sqltoken.Token) bool { return x.Is("SELECT") }) {
		f.joins = true
		return
	}
	if len(t) < 2 || t[0].Is("NOT") {
		return
	}
	column, rest, ok := columnAt(t)
	if !ok {
		// ? = column
		if len(t) >= 3 && t[0].Value() && t[1].Text == "=" {
			if c, tail, ok := columnAt(t[2:]); ok && len(tail) == 0 {
				f.equal = append(f.equal, c)
				return
			}
		}
		f.addComputed(t)
		return
	}
	if len(rest) == 0 {
		return
	}
	other := namesColumn(rest[1:])
	switch op := rest[0]; {
	case op.Text == "(":
		f.addComputed(rest)
	case other && !rest[0].Is("IS"):
		// compared with another column: no index alone finds these rows
	case op.Text == "=" || op.Text == "<=>" || op.Is("IN"):
		f.equal = append(f.equal, column)
	case op.Is("IS") && len(rest) == 2:
		f.equal = append(f.equal, column)
	case op.Text == "<" || op.Text == ">" || op.Text == "<=" || op.Text == ">=" || op.Is("BETWEEN"):
		f.ranges = append(f.ranges, column)
	case op.Is("LIKE"):
		f.like = append(f.like, column)
	case op.Text == "+" || op.Text == "-" || op.Text == "*" || op.Text == "/" || op.Text == "%" || op.Is("COLLATE"):
		f.computed = append(f.computed, column)
	}
}

// namesColumn says whether a column is in an expression; functions are not.
func namesColumn(t []sqltoken.Token) bool {
	for i, x := range t {
		if x.Name() && (x.Quoted || i+1 == len(t) || t[i+1].Text != "(") {
			return true
		}
	}
	return false
}

// addComputed notes the columns that are arguments of a function.
func (f *filter) addComputed(t []sqltoken.Token) {
	for i, x := range t {
		called := i+1 < len(t) && t[i+1].Text == "("
		qualifies := i+1 < len(t) && t[i+1].Text == "."
		if x.Name() && !called && !qualifies && !slices.Contains(f.computed, x.Text) {
			f.computed = append(f.computed, x.Text)
		}
	}
}

func (f *filter) readOrder(t []sqltoken.Token) {
	if len(t) > 0 && t[0].Is("BY") {
		t = t[1:]
	}
	var columns []string
	down, up := false, false
	for len(t) > 0 {
		column, rest, ok := columnAt(t)
		if !ok {
			return
		}
		columns = append(columns, column)
		switch {
		case len(rest) > 0 && rest[0].Is("DESC"):
			down, rest = true, rest[1:]
		case len(rest) > 0 && rest[0].Is("ASC"):
			up, rest = true, rest[1:]
		default:
			up = true
		}
		if len(rest) > 0 && rest[0].Text != "," {
			return // an expression
		}
		t = rest[min(len(rest), 1):]
	}
	if down != up {
		f.order = columns
	}
}

// columnAt reads a column, qualified or not, and returns what follows.
func columnAt(t []sqltoken.Token) (column string, rest []sqltoken.Token, ok bool) {
	if len(t) == 0 || !t[0].Name() {
		return "", t, false
	}
	if len(t) > 1 && t[1].Text == "(" && !t[0].Quoted {
		return "", t, false
	}
	column, rest = t[0].Text, t[1:]
	for len(rest) > 1 && rest[0].Text == "." && rest[1].Name() {
		column, rest = rest[1].Text, rest[2:]
	}
	return column, rest, true
}

// unwrap takes parentheses off that enclose all of a condition.
func unwrap(t []sqltoken.Token) []sqltoken.Token {
	for len(t) >= 2 && t[0].Text == "(" {
		depth, end := 0, -1
		for i, x := range t {
			if x.Text == "(" {
				depth++
			} else if x.Text == ")" {
				if depth--; depth == 0 {
					end = i
					break
				}
			}
		}
		if end != len(t)-1 {
			return t
		}
		t = t[1:end]
	}
	return t
}

// aggregates says whether the selected columns sum rows up.
func aggregates(t []sqltoken.Token) bool {
	for i, x := range t {
		if x.Is("DISTINCT") {
			return true
		}
		if i+1 < len(t) && t[i+1].Text == "(" {
			switch strings.ToUpper(x.Text) {
			case "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP",
				"VAR_SAMP", "BIT_AND", "BIT_OR", "BIT_XOR", "JSON_ARRAYAGG", "JSON_OBJECTAGG":
				return true
			}
		}
	}
	return false
}
