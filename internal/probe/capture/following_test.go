package capture

import (
	"reflect"
	"testing"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// TestSinceKnowsEveryField fills a side with numbers: of what is counted nothing
// is left where nothing was added, and the rest stays.
func TestSinceKnowsEveryField(t *testing.T) {
	var full tcp.Side
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.CanInt():
			f.SetInt(int64(10 + i))
		case f.CanUint():
			f.SetUint(uint64(10 + i))
		}
	}
	same := map[string]bool{"LargestSegment": true, "MSS": true, "Scale": true, "TTL": true, "RTTMin": true, "RTTMax": true}
	left := full
	sinceSide(&left, &full)
	for i := range v.NumField() {
		f := reflect.ValueOf(left).Field(i)
		if name := v.Type().Field(i).Name; f.IsZero() == same[name] {
			t.Errorf("%s: %v", name, f)
		}
	}
	r := reflect.ValueOf(&rt.Connection{}).Elem().FieldByName("Requests")
	for i := range r.NumField() {
		if f := r.Field(i); f.CanInt() {
			f.SetInt(int64(10 + i))
		} else {
			f.SetUint(uint64(10 + i))
		}
	}
	c := rt.Connection{Conn: &tcp.Conn{ID: 1}, Requests: r.Interface().(rt.Requests)}
	k := followed{Connection: &c, before: c.Clone()}
	if got, want := k.since(&c, 0).Requests, (rt.Requests{Min: c.Requests.Min, Max: c.Requests.Max}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
