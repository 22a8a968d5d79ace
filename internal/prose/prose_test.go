package prose

import "testing"

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		width, hang int
		want        string
	}{
		{"a pipe", "one two three", 0, 2, "one two three"},
		{"it fits", "one two three", 13, 2, "one two three"},
		{"between words", "one two three four", 10, 2, "one two\n  three\n  four"},
		{"a title keeps its distance", "clocks   the server's is ahead", 20, 9, "clocks   the\n      server's is\n      ahead"},
		{"the first indent stays", " left out: two of them", 12, 3, " left out:\n   two of\n   them"},
		{"long words stay whole", "see https://example.com/very/long ok", 12, 2, "see\n  https://example.com/very/long\n  ok"},
		{"columns, not bytes", "± µs µs µs", 10, 0, "± µs µs µs"},
		{"no blanks at the end", "one two   ", 8, 2, "one two"},
	} {
		if got := Wrap(c.text, c.width, c.hang); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
