package view

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// captured are the rows of a table of captures that are about an interval in which
// the window has a packet: one that overlaps it counts whole, in all tables.
func captured[T recording.Captured](v *View) []T {
	rows, outside := recording.Rows[T](v.rec), v.outside()
	if len(outside) == 0 {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r T) bool { return outside[r.Captured()] })
}

// outside are the intervals of captures that the window has nothing of.
func (v *View) outside() map[int64]bool {
	return Memo(v, "packets/outside", func() map[int64]bool { return v.rec.Outside(v.start, v.end) })
}

// overIntervals are the rows of a table added up over the intervals of the window,
// as recording.Captured says: one for each key, in the order of their first.
func overIntervals[T recording.Captured](v *View) []T {
	var zero T
	return Memo(v, "packets/"+string(zero.Table()), func() []T {
		rows := captured[T](v)
		if !several(rows) {
			return rows
		}
		form := formOf(reflect.TypeFor[T]())
		keys, groups := Group(inOrder(rows), func(r T) string { return form.key(reflect.ValueOf(&r).Elem()) })
		list := make([]T, 0, len(keys))
		for _, k := range keys {
			list = append(list, addUp(groups[k]))
		}
		return list
	})
}

// newest are the rows of the last interval of the window: what was true in the end.
func newest[T recording.Captured](v *View) []T {
	last := lastInterval(captured[recording.PacketCapture](v))
	return slices.DeleteFunc(slices.Clone(captured[T](v)), func(r T) bool { return r.Captured() < last })
}

func lastInterval(captures []recording.PacketCapture) (last int64) {
	last = time.Time{}.UnixNano()
	for _, c := range captures {
		last = max(last, c.Captured())
	}
	return last
}

// several says that rows are about more than one interval.
func several[T recording.Captured](rows []T) bool {
	return slices.ContainsFunc(rows, func(r T) bool { return r.Captured() != rows[0].Captured() })
}

// inOrder puts rows in the order of their intervals.
func inOrder[T recording.Captured](rows []T) []T {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b T) int { return cmp.Compare(a.Captured(), b.Captured()) })
	return rows
}

// addUp makes one row of those of a thing, which are in the order of their
// intervals.
func addUp[T recording.Captured](rows []T) T {
	sum := rows[len(rows)-1]
	if len(rows) > 1 {
		form := formOf(reflect.TypeFor[T]())
		into, list := reflect.ValueOf(&sum).Elem(), reflect.ValueOf(rows)
		for i := range form.columns {
			form.columns[i].addUp(into, list)
		}
	}
	return sum
}

// form is how rows of a table are added up.
type form struct {
	columns []over
	keys    []fieldPath
}

// fieldPath is where a field lies in a row, which may embed structs.
type fieldPath []int

// over is how a column is.
type over struct {
	field  fieldPath
	how    string
	of     fieldPath // the field that weighs it; nil: none
	q      float64   // of percentiles
	family string    // percentiles of the same times have one: the word their names begin with
	curve  []knot    // these percentiles, ascending
}

// knot is a field that holds a percentile.
type knot struct {
	q     float64
	field fieldPath
}

// numbers are those in notes.
var numbers = regexp.MustCompile(`[0-9][0-9.,]*`)

// joined puts notes of intervals together, each once. Of those that differ only in their numbers it has
// the first, and says in how many intervals there are more: a connection counts in each of its
// intervals, so that the numbers do not add up.
func joined(notes []string) string {
	type kind struct {
		first string
		more  int // intervals
		other bool
	}
	type shape struct {
		words string
		nth   int // of an interval
	}
	var kinds []*kind
	known := map[shape]*kind{}
	for _, note := range notes {
		told := map[string][]string{} // of the interval, by shape
		for words := range strings.SplitSeq(note, "; ") {
			s := shape{words: numbers.ReplaceAllString(words, "#")}
			if words == "" || slices.Contains(told[s.words], words) {
				continue
			}
			s.nth = len(told[s.words])
			told[s.words] = append(told[s.words], words)
			switch k := known[s]; {
			case k != nil:
				k.more++
				k.other = k.other || words != k.first
			case len(kinds) < maxJoined:
				known[s] = &kind{first: words}
				kinds = append(kinds, known[s])
			}
		}
	}
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.first
		if k.other {
			list[i] += ", and the like in " + unit.Plural(k.more, "more interval", "more intervals")
		}
	}
	return strings.Join(list, "; ")
}

// maxJoined is how many kinds of notes of intervals are kept.
const maxJoined = 8

var forms sync.Map // by reflect.Type

func formOf(t reflect.Type) *form {
	if f, ok := forms.Load(t); ok {
		return f.(*form)
	}
	f := &form{}
	columns := slices.DeleteFunc(reflect.VisibleFields(t), func(c reflect.StructField) bool { return c.Anonymous })
	fields, curves := map[string]fieldPath{}, map[string][]knot{}
	for _, column := range columns {
		name, _, _ := strings.Cut(column.Tag.Get("parquet"), ",")
		fields[name] = column.Index
	}
	for _, column := range columns {
		c := over{field: column.Index}
		c.family, _, _ = strings.Cut(column.Tag.Get("parquet"), "_")
		var of string
		c.how, of, _ = strings.Cut(column.Tag.Get("over"), ",")
		if of != "" {
			at, ok := fields[of]
			if !ok {
				panic(fmt.Sprintf("%v: no column %q", t, of)) // a test looks at all of them
			}
			c.of = at
		}
		if percent, ok := strings.CutPrefix(c.how, "p"); ok {
			n, err := strconv.Atoi(percent)
			if err != nil {
				panic(fmt.Sprintf("%v: percentile %q", t, c.how))
			}
			c.how, c.q = "p", float64(n)/100
			curves[c.family] = append(curves[c.family], knot{c.q, c.field})
		}
		switch {
		case c.how == "key":
			f.keys = append(f.keys, c.field)
			continue
		case c.how != "":
		case column.Name == "At":
			c.how = "earliest"
		default:
			c.how = usual(column.Type)
		}
		f.columns = append(f.columns, c)
	}
	for i := range f.columns {
		if c := &f.columns[i]; c.how == "p" {
			c.curve = curves[c.family]
			slices.SortFunc(c.curve, func(a, b knot) int { return cmp.Compare(a.q, b.q) })
		}
	}
	forms.Store(t, f)
	return f
}

// usual is how columns of a type are added up that say nothing else.
func usual(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "any"
	case reflect.Int32, reflect.Int64:
		return "sum"
	}
	return "last"
}

// key tells apart what rows are about.
func (f *form) key(row reflect.Value) string {
	var b strings.Builder
	for _, i := range f.keys {
		v := row.FieldByIndex(i)
		if at, ok := v.Interface().(time.Time); ok {
			fmt.Fprintf(&b, "%d\x00", at.UnixNano())
			continue
		}
		fmt.Fprintf(&b, "%v\x00", v)
	}
	return b.String()
}

// addUp fills the column of a sum.
func (c *over) addUp(into, rows reflect.Value) {
	value := into.FieldByIndex(c.field)
	at := func(i int, field fieldPath) reflect.Value { return rows.Index(i).FieldByIndex(field) }
	weight := func(i int) int64 { return at(i, c.of).Int() }
	n := rows.Len()
	switch c.how {
	case "sum":
		sum := int64(0)
		for i := range n {
			x := at(i, c.field).Int()
			if x == recording.Unknown {
				sum = x
				break
			}
			sum += x
		}
		value.SetInt(sum)
	case "carried":
		sum := at(0, c.field).Int()
		for i := 1; i < n; i++ {
			sum += at(i, c.field).Int() - rows.Index(i).FieldByName("Carried").Int()
		}
		value.SetInt(sum)
	case "max":
		for i := range n {
			value.SetInt(max(value.Int(), at(i, c.field).Int()))
		}
	case "min", "earliest":
		found := false
		for i := range n {
			if x := at(i, c.field); (c.of == nil || weight(i) > 0) && (!found || less(x, value)) {
				value.Set(x)
				found = true
			}
		}
	case "most":
		best := 0
		for i := range n {
			if weight(i) > weight(best) {
				best = i
			}
		}
		value.Set(at(best, c.field))
	case "begin":
		value.Set(at(0, c.field))
	case "first", "last":
		for i := range n {
			if c.how == "last" {
				i = n - 1 - i
			}
			if x := at(i, c.field); !x.IsZero() {
				value.Set(x)
				return
			}
		}
	case "any":
		for i := range n {
			value.SetBool(value.Bool() || at(i, c.field).Bool())
		}
	case "join":
		notes := make([]string, n)
		for i := range notes {
			notes[i] = at(i, c.field).String()
		}
		value.SetString(joined(notes))
	case "same":
		for i := range n {
			if !at(i, c.field).Equal(value) {
				value.SetZero()
			}
		}
	case "p":
		var all mixture
		for i := range n {
			one := times{count: weight(i)}
			for _, k := range c.curve {
				one.curve = append(one.curve, point{k.q, at(i, k.field).Int()})
			}
			if one.count > 0 && one.curve[0].at >= 0 {
				all = append(all, one)
			}
		}
		if len(all) > 0 {
			value.SetInt(all.quantile(c.q))
		}
	default:
		panic("over:" + c.how)
	}
}

func less(a, b reflect.Value) bool {
	if at, ok := a.Interface().(time.Time); ok {
		return at.Before(b.Interface().(time.Time))
	}
	return a.Int() < b.Int()
}

// times are those of an interval: how many there are, and some of their percentiles.
type times struct {
	count int64
	curve []point
}

// point says that a share q of times is at most at.
type point struct {
	q  float64
	at int64
}

// share is the share of times that are at most x, as far as the percentiles tell:
// straight between them.
func (t *times) share(x int64) float64 {
	last := len(t.curve) - 1
	switch i, _ := slices.BinarySearchFunc(t.curve, x, func(p point, x int64) int {
		if p.at <= x {
			return -1
		}
		return 1
	}); {
	case i == 0:
		return 0
	case i > last:
		return 1
	default:
		a, b := t.curve[i-1], t.curve[i]
		return a.q + (b.q-a.q)*float64(x-a.at)/float64(b.at-a.at)
	}
}

// mixture are times of several intervals.
type mixture []times

// quantile is what a share q of all of them does not exceed. Where the intervals
// are alike it is exact.
func (m mixture) quantile(q float64) int64 {
	low, high, total := m[0].curve[0].at, int64(0), int64(0)
	for i := range m {
		low, high = min(low, m[i].curve[0].at), max(high, m[i].curve[len(m[i].curve)-1].at)
		total += m[i].count
	}
	for low < high {
		x, within := low+(high-low)/2, 0.0
		for i := range m {
			within += m[i].share(x) * float64(m[i].count)
		}
		if within < q*float64(total)-1e-6 {
			low = x + 1
		} else {
			high = x
		}
	}
	return low
}
