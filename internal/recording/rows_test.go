package recording

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
)

// randomRows makes rows of every kind of value, extremes and invalid text
// included. Some rows continue the one before, as real ones do.
func randomRows(k *kind, rnd *rand.Rand, start time.Time, n int) rows {
	list := reflect.New(reflect.TypeOf(k.empty()).Elem().Field(0).Type).Elem()
	rowType := list.Type().Elem()
	var before reflect.Value
	for i := range n {
		row := reflect.New(rowType).Elem()
		if i > 0 && rnd.IntN(2) == 0 {
			row.Set(before)
		}
		for _, f := range reflect.VisibleFields(rowType) {
			if !f.Anonymous && rnd.IntN(3) > 0 {
				field := row.FieldByIndex(f.Index)
				if randomField(field, rnd); strings.Contains(f.Tag.Get("parquet"), "millisecond") {
					field.Set(reflect.ValueOf(field.Interface().(time.Time).Truncate(time.Millisecond)))
				}
			}
		}
		row.FieldByName("At").Set(reflect.ValueOf(start.Add(time.Duration(i) * time.Millisecond).UTC()))
		list.Set(reflect.Append(list, row))
		before = row
	}
	out := k.empty()
	setList(out, list)
	return out
}

func randomField(f reflect.Value, rnd *rand.Rand) {
	switch f.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v := []int64{0, -1, 1, math.MaxInt64, math.MinInt64, int64(rnd.Uint64()), rnd.Int64N(1000)}[rnd.IntN(7)]
		for f.OverflowInt(v) {
			v /= 1 << 16
		}
		f.SetInt(v)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		f.SetUint([]uint64{0, 1, math.MaxUint64, rnd.Uint64()}[rnd.IntN(4)] >> (64 - f.Type().Bits()))
	case reflect.Float64:
		f.SetFloat([]float64{0, -1, math.Inf(1), math.MaxFloat64, rnd.Float64()}[rnd.IntN(5)])
	case reflect.Bool:
		f.SetBool(rnd.IntN(2) == 0)
	case reflect.String:
		f.SetString([]string{"", "a", "nginx: worker process", "naïve", "\x00", string(rune('a' + rnd.IntN(26)))}[rnd.IntN(6)])
	case reflect.Struct:
		f.Set(reflect.ValueOf([]time.Time{{}, time.Unix(rnd.Int64N(1<<33), rnd.Int64N(1e9)).UTC()}[rnd.IntN(2)]))
	default:
		panic("no random value for " + f.Type().String())
	}
}

// setList and getList reach into the slice of a table whose type is not known.
func setList(r rows, list reflect.Value) {
	reflect.NewAt(list.Type(), reflect.ValueOf(r).Elem().Field(0).Addr().UnsafePointer()).Elem().Set(list)
}

func getList(r rows) any {
	f := reflect.ValueOf(r).Elem().Field(0)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Interface()
}

// randomSample has rows of some tables, or of all.
func randomSample(rnd *rand.Rand, at time.Time, tables ...Table) *Writer {
	w := NewWriter(at)
	for _, k := range catalogue {
		if len(tables) > 0 && !slices.Contains(tables, k.name) {
			continue
		}
		w.tables[k.name] = randomRows(k, rnd, at, 1+rnd.IntN(20))
	}
	return w
}

// contents is everything a recording holds, for comparison.
func contents(r *Recording) map[Table]any {
	all := map[Table]any{}
	for name, rows := range r.tables {
		rows.join()
		all[name] = getList(rows)
	}
	return all
}
