package document

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	o := Object{{"b", Number(0.5)}, {"a", Number(math.NaN())}, {"inf", Number(math.Inf(-1))}, {"list", []int{}}}
	o.Add("text", "<a> & \"b\" \u202e \x1b[31m \x7f \xff µs")
	got, err := AppendJSON([]byte("at: "), o)
	if err != nil {
		t.Fatal(err)
	}
	const want = `at: {"b":0.5,"a":null,"inf":null,"list":[],"text":"<a> & \"b\" \u202e \u001b[31m \u007f \ufffd µs"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	var back struct{ A, B Number }
	if err := json.Unmarshal(got[4:], &back); err != nil || back.B != 0.5 || !math.IsNaN(float64(back.A)) {
		t.Errorf("read back as %v, %v", back, err)
	}
}

// The fast way writes what the other one does.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", `a"b\c`, "a\nb\tc\x00\x7f", "\u202e\u2028µ\xff", "</script>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := AppendJSON(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(AppendString(nil, s))); diff != "" {
			t.Error(diff)
		}
	})
}
