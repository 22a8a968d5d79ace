package nearest

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "acb", 1}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"ab", "xabx", 2},
		{"kitten", "sitting", 3}, {"größe", "grösse", 2},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestName(t *testing.T) {
	names := []string{"diagnose", "record", "replay", "explain", "doctor", "net/accept-queue-full", "net/syn-flood", "cpu/saturated", "disk/saturated"}
	for _, c := range []struct{ word, want string }{
		{"diagnos", "diagnose"}, {"dianose", "diagnose"}, {"Explian", "explain"}, {"repaly", "replay"},
		{"net/acept-queue-full", "net/accept-queue-full"}, {"accept-queue", "net/accept-queue-full"},
		{"syn-flood", "net/syn-flood"}, {"cpu/saturate", "cpu/saturated"},
		{"xyz", ""}, {"", ""}, {"saturated", ""}, {"frobnicate", ""},
	} {
		got, ok := Name(c.word, names)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Name(%q) = %q, %v; want %q", c.word, got, ok, c.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got, want := Hint("--jsno", []string{"--json", "--for"}), ` (did you mean "--json"?)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Hint("--zzzzzz", []string{"--json"}); got != "" {
		t.Errorf("got %q for a word that is like nothing", got)
	}
}
