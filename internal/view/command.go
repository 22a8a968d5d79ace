package view

import "strings"

// different stands for what differs between command lines.
const different = "…"

// commandWords are the parts of a command line of which each differs or not: it is cut
// behind blanks and equals signs.
func commandWords(line string) []string {
	var words []string
	for len(line) > 0 {
		n := strings.IndexAny(line, " =") + 1
		if n == 0 {
			n = len(line)
		}
		words, line = append(words, line[:n]), line[n:]
	}
	return words
}

// foldCommand is the same of command lines that differ in numbers and paths only. The
// name of the program stays, without its directory.
func foldCommand(line string) string {
	words := commandWords(line)
	var b strings.Builder
	for i, w := range words {
		end := strings.TrimRight(w, " =")
		switch {
		case i == 0:
			b.WriteString(end[strings.LastIndexByte(end, '/')+1:])
		case strings.Contains(end, "/"):
			b.WriteByte('/')
		default:
			b.WriteString(foldNumbers(end))
		}
		b.WriteString(w[len(end):])
	}
	return b.String()
}

// foldNumbers writes one sign for each run of letters and digits that has a digit: "job-17" and "job-18",
// and hexadecimal names, are the same then.
func foldNumbers(word string) string {
	var b strings.Builder
	for len(word) > 0 {
		n := strings.IndexFunc(word, func(r rune) bool { return !wordRune(r) })
		if n < 0 {
			n = len(word)
		}
		if run := word[:n]; strings.ContainsAny(run, "0123456789") {
			b.WriteByte('#')
		} else {
			b.WriteString(run)
		}
		rest := strings.IndexFunc(word[n:], wordRune)
		if rest < 0 {
			rest = len(word) - n
		}
		b.WriteString(word[n : n+rest])
		word = word[n+rest:]
	}
	return b.String()
}

func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
}

// commonWords keeps the words that two command lines share; they fold to the same, and so
// have as many.
func commonWords(a, b []string) []string {
	for i := range a {
		if i < len(b) && a[i] != b[i] {
			end := strings.TrimRight(a[i], " =")
			a[i] = different + a[i][len(end):]
		}
	}
	return a
}

func joinWords(words []string) string { return strings.Join(words, "") }
