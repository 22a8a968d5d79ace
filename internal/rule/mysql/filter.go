package mysql

import (
	"slices"
	"strings"
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
	t := tokens(text)
	if i := slices.IndexFunc(t, func(x token) bool { return x.is("SELECT") }); i > 0 && (t[0].is("INSERT") || t[0].is("REPLACE") || t[0].is("CREATE")) {
		t = t[i:]
	}
	if len(t) == 0 {
		return f, false
	}
	var tables, rest []token
	switch {
	case t[0].is("SELECT"):
		from := indexAtTop(t, "FROM")
		if from < 0 {
			return f, false
		}
		f.aggregates = aggregates(t[1:from])
		tables, rest = split(t[from+1:])
	case t[0].is("DELETE"):
		from := indexAtTop(t, "FROM")
		if from < 0 {
			return f, false
		}
		tables, rest = split(t[from+1:])
	case t[0].is("UPDATE"):
		set := indexAtTop(t, "SET")
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
func split(t []token) (tables, rest []token) {
	i := indexAtTop(t, clauses...)
	if i < 0 {
		return t, nil
	}
	return t[:i], t[i:]
}

// readTables finds the table if there is only one.
func (f *filter) readTables(t []token) {
	for len(t) > 0 && (t[0].is("LOW_PRIORITY") || t[0].is("IGNORE")) {
		t = t[1:]
	}
	if len(t) == 0 {
		return
	}
	for _, x := range t {
		if x.text == "," || x.text == "(" || x.is("JOIN") || x.is("STRAIGHT_JOIN") {
			f.joins = true
		}
	}
	if !t[0].name() {
		return
	}
	f.table = t[0].text
	if len(t) > 2 && t[1].text == "." && t[2].name() {
		f.schema, f.table = t[0].text, t[2].text
	}
}

func (f *filter) readClauses(t []token) {
	for len(t) > 0 {
		end := indexAtTop(t[1:], clauses...) + 1
		if end == 0 {
			end = len(t)
		}
		body := t[1:end]
		switch {
		case t[0].is("WHERE"):
			f.where = true
			f.readConditions(body)
		case t[0].is("GROUP"), t[0].is("HAVING"):
			f.aggregates = true
		case t[0].is("ORDER"):
			f.readOrder(body)
		case t[0].is("LIMIT"), t[0].is("FETCH"):
			f.limit = true
		case t[0].is("UNION"):
			f.joins = true
			return
		}
		t = t[end:]
	}
}

// readConditions takes apart what WHERE joins by AND.
func (f *filter) readConditions(t []token) {
	t = unwrap(t)
	if indexAtTop(t, "OR", "XOR") >= 0 || slices.ContainsFunc(t, func(x token) bool { return x.text == "||" }) {
		f.or = true
		return
	}
	depth, start, between := 0, 0, false
	for i, x := range t {
		switch {
		case x.text == "(":
			depth++
		case x.text == ")":
			depth--
		case depth > 0:
		case x.is("BETWEEN"):
			between = true
		case x.is("AND") || x.text == "&&":
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

func (f *filter) readCondition(t []token) {
	if inner := unwrap(t); len(inner) < len(t) {
		f.readConditions(inner)
		return
	}
	if slices.ContainsFunc(t, func(x token) bool { return x.is("SELECT") }) {
		f.joins = true
		return
	}
	if len(t) < 2 || t[0].is("NOT") {
		return
	}
	column, rest, ok := columnAt(t)
	if !ok {
		// ? = column
		if len(t) >= 3 && t[0].value() && t[1].text == "=" {
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
	case op.text == "(":
		f.addComputed(rest)
	case other && !rest[0].is("IS"):
		// compared with another column: no index alone finds these rows
	case op.text == "=" || op.text == "<=>" || op.is("IN"):
		f.equal = append(f.equal, column)
	case op.is("IS") && len(rest) == 2:
		f.equal = append(f.equal, column)
	case op.text == "<" || op.text == ">" || op.text == "<=" || op.text == ">=" || op.is("BETWEEN"):
		f.ranges = append(f.ranges, column)
	case op.is("LIKE"):
		f.like = append(f.like, column)
	case op.text == "+" || op.text == "-" || op.text == "*" || op.text == "/" || op.text == "%" || op.is("COLLATE"):
		f.computed = append(f.computed, column)
	}
}

// namesColumn says whether a column is in an expression; functions are not.
func namesColumn(t []token) bool {
	for i, x := range t {
		if x.name() && (x.quoted || i+1 == len(t) || t[i+1].text != "(") {
			return true
		}
	}
	return false
}

// addComputed notes the columns that are arguments of a function.
func (f *filter) addComputed(t []token) {
	for i, x := range t {
		called := i+1 < len(t) && t[i+1].text == "("
		qualifies := i+1 < len(t) && t[i+1].text == "."
		if x.name() && !called && !qualifies && !slices.Contains(f.computed, x.text) {
			f.computed = append(f.computed, x.text)
		}
	}
}

func (f *filter) readOrder(t []token) {
	if len(t) > 0 && t[0].is("BY") {
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
		case len(rest) > 0 && rest[0].is("DESC"):
			down, rest = true, rest[1:]
		case len(rest) > 0 && rest[0].is("ASC"):
			up, rest = true, rest[1:]
		default:
			up = true
		}
		if len(rest) > 0 && rest[0].text != "," {
			return // an expression
		}
		t = rest[min(len(rest), 1):]
	}
	if down != up {
		f.order = columns
	}
}

// columnAt reads a column, qualified or not, and returns what follows.
func columnAt(t []token) (column string, rest []token, ok bool) {
	if len(t) == 0 || !t[0].name() {
		return "", t, false
	}
	if len(t) > 1 && t[1].text == "(" && !t[0].quoted {
		return "", t, false
	}
	column, rest = t[0].text, t[1:]
	for len(rest) > 1 && rest[0].text == "." && rest[1].name() {
		column, rest = rest[1].text, rest[2:]
	}
	return column, rest, true
}

// unwrap takes parentheses off that enclose all of a condition.
func unwrap(t []token) []token {
	for len(t) >= 2 && t[0].text == "(" {
		depth, end := 0, -1
		for i, x := range t {
			if x.text == "(" {
				depth++
			} else if x.text == ")" {
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
func aggregates(t []token) bool {
	for i, x := range t {
		if x.is("DISTINCT") {
			return true
		}
		if i+1 < len(t) && t[i+1].text == "(" {
			switch strings.ToUpper(x.text) {
			case "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP",
				"VAR_SAMP", "BIT_AND", "BIT_OR", "BIT_XOR", "JSON_ARRAYAGG", "JSON_OBJECTAGG":
				return true
			}
		}
	}
	return false
}
