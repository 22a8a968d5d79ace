// Package nearest guesses which name somebody meant who mistyped one.
package nearest

import "strings"

// Find returns the candidate closest to word, if one is close enough to be
// meant: within a third of the letters, or beginning or ending alike.
func Find(word string, candidates []string) (string, bool) {
	word = strings.ToLower(word)
	best, bestDistance := "", len(word)/3+2
	for _, c := range candidates {
		lower := strings.ToLower(c)
		d := distance(word, lower)
		if len(word) >= 3 && strings.Contains(lower, word) {
			d = min(d, 1)
		}
		// "accept-queue-full" stands for "net/accept-queue-full".
		if _, last, ok := strings.Cut(lower, "/"); ok {
			d = min(d, distance(word, last)+1)
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// Hint is Find as the end of an error message: "; did you mean X?", or "".
func Hint(word string, candidates []string) string {
	if best, ok := Find(word, candidates); ok {
		return "; did you mean " + best + "?"
	}
	return ""
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, prev := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, prev[j+1]+1, prev[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(t)]
}
