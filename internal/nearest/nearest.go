// Package nearest finds what somebody meant who mistyped a name.
package nearest

import "strings"

// Name returns the name that is most like word, and false when none is like it
// enough to be worth a suggestion. Case does not count. Of names equally near,
// the first one wins.
func Name(word string, names []string) (string, bool) {
	word = strings.ToLower(word)
	best, distance := "", allowed(word)+1
	for _, n := range names {
		if d := Distance(word, strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	if best != "" || len(word) < 3 {
		return best, best != ""
	}
	// "accept-queue" stands for net/accept-queue-full: a part that only one
	// name has is as good as a small mistake.
	for _, n := range names {
		if strings.Contains(strings.ToLower(n), word) {
			if best != "" {
				return "", false
			}
			best = n
		}
	}
	return best, best != ""
}

// Hint is Name worded as the end of an error message: ` (did you mean "x"?)`,
// or nothing.
func Hint(word string, names []string) string {
	if n, ok := Name(word, names); ok {
		return ` (did you mean "` + n + `"?)`
	}
	return ""
}

// allowed is how many mistakes a word of this length may have: one in three
// letters. With more, suggestions become guesses.
func allowed(word string) int { return max(1, len([]rune(word))/3) }

// Distance is how many letters must be added, removed, changed or swapped with
// their neighbour to get from a to b (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	// Three rows of the table are enough: the current one and two before it.
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(y)]
}
