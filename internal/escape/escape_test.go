package escape

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"nginx: worker process", "nginx: worker process"},
		{"evil\x1b]0;owned\x07", `evil\x1b]0;owned\x07`},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\nb\tc\rd", `a\nb\tc\x0dd`},
		{"\xff\xfe", `\xff\xfe`},
		{"abc\u202etxt", `abc\u202etxt`},
		{"\u2066x\u2069", `\u2066x\u2069`},
		{"a\u200bb\u2028c\ufeff", `a\u200bb\u2028c\ufeff`},
		{"\u009b31m", `\u009b31m`},
		{"\U000e0001", `\U000e0001`},
		{"root\u3164\uffa0\u115f\u1160x", `root\u3164\uffa0\u115f\u1160x`},
		{"a\u034fb\u17b4\u17b5", `a\u034fb\u17b4\u17b5`},
		{"a\ufe0fb\ufe00\u180b\u180f", `a\ufe0fb\ufe00\u180b\u180f`},
		{"a\U000e0100\U000e01ef", `a\U000e0100\U000e01ef`},
		{"größe 数据库", "größe 数据库"},
		{"한글 ក់ ⚠ 👍🏽", "한글 ក់ ⚠ 👍🏽"},
		{"e\u0301", "e\u0301"},
		{"\x7f", `\u007f`},
		{"", ""},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := Line("a\n b\t\x1b"); got != `a b \x1b` {
		t.Errorf("Line: %q", got)
	}
}

// No rune that a terminal obeys, or that nobody sees, passes.
func TestAllHiddenRunes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == '\n' || r == '\t' || r == utf8.RuneError || unicode.IsGraphic(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			continue
		}
		s := "a" + string(r) + "b"
		if !utf8.ValidRune(r) {
			continue // cannot be written
		}
		if got := Text(s); strings.ContainsRune(got, r) {
			t.Errorf("Text passes %U", r)
		}
		if got := Screen(s); strings.ContainsRune(got, r) {
			t.Errorf("Screen passes %U", r)
		}
	}
}

func TestWriter(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\n\ttext", "plain\n\ttext"},
		{"\x1b[1mbold\x1b[0m \x1b[38;5;9mx\x1b[m", "\x1b[1mbold\x1b[0m \x1b[38;5;9mx\x1b[m"},
		{"\rprogress \x1b[K", "\rprogress \x1b[K"},
		{"over\rwritten", `over\u000dwritten`},
		{"\x1b]0;title\x07", `\u001b]0;title\u0007`},
		{"\x1b[2J\x1b[H\x1b[1A\x1b[?25l\x1b[2K", `\u001b[2J\u001b[H\u001b[1A\u001b[?25l\u001b[2K`},
		{"\x1bPq\x1b\\", `\u001bPq\u001b\`},
		{"\x1b[" + strings.Repeat("1;", 30) + "m", `\u001b[` + strings.Repeat("1;", 30) + "m"},
		{"a\u202eb\u200b\u0085", `a\u202eb\u200b\u0085`},
		{"a\u3164b\ufe0f\U000e0100", `a\u3164b\ufe0f\udb40\udd00`},
		{"\U000e0001", `\udb40\udc01`},
		{"größe\xff", `größe\xff`},
		{"end \x1b", `end \u001b`},
		{"end \xe2\x80", `end \xe2\x80`},
	} {
		if got := Screen(c.in); got != c.want && !strings.HasPrefix(c.in, "\r") {
			t.Errorf("Screen(%q) = %q, want %q", c.in, got, c.want)
		}
		// In one piece, and byte by byte, but for a carriage return.
		for _, size := range []int{len(c.in), 1, 3} {
			var out bytes.Buffer
			w := Coloured(&out)
			for at := 0; at < len(c.in); at += size {
				b := []byte(c.in[at:min(len(c.in), at+size)])
				if n, err := w.Write(b); n != len(b) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != c.want && !(strings.Contains(c.in, "\r") && size < len(c.in)) {
				t.Errorf("%q in pieces of %d: %q, want %q", c.in, size, got, c.want)
			}
		}
	}
}

func TestWriterWithoutColours(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	if _, err := w.Write([]byte("\r1 of 2\x1b[K\x1b[31mred\x1b[0m")); err != nil || out.String() != "\r1 of 2\x1b[K\\u001b[31mred\\u001b[0m" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// A document of JSON stays one, and means the same.
func TestWriterKeepsJSON(t *testing.T) {
	want := "a\x1b\u202e\u200b\U000e0001\u009b\x7f\r\n größe \u2028"
	var out bytes.Buffer
	w := NewWriter(&out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != want {
		t.Errorf("%s: %q, %v", out.String(), got, err)
	}
	if !safe(out.String()) {
		t.Errorf("hidden: %q", out.String())
	}
}

// safe says that nothing is hidden but new lines, tabs and colours.
func safe(s string) bool {
	for i := 0; i < len(s); {
		if n, _ := own(s[i:], true); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || Hidden(r) {
			return false
		}
		i += n
	}
	return true
}

func FuzzEscape(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\u202e\xff\x1b["), 3)
	f.Add([]byte("\rx\r\n\x1b]0;t\x07"), 1)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if got := Text(string(b)); strings.ContainsFunc(got, Hidden) || !utf8.ValidString(got) {
			t.Errorf("Text(%q) = %q", b, got)
		}
		if got := Screen(string(b)); !safe(got) {
			t.Errorf("Screen(%q) = %q", b, got)
		}
		var out bytes.Buffer
		w := NewWriter(&out)
		size = max(1, size%64)
		for at := 0; at < len(b); at += size {
			_, _ = w.Write(b[at:min(len(b), at+size)])
		}
		_ = w.Flush()
		for line := range strings.SplitSeq(out.String(), "\r") {
			if !safe(line) {
				t.Errorf("%q in pieces of %d: %q", b, size, out.String())
			}
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	line := []byte(strings.Repeat("2026-01-31 03:00:00  SELECT c FROM t WHERE id = ?\n", 80))
	w := NewWriter(discard{})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = w.Write(line)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
