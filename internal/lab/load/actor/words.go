package actor

import (
	"os"
	"time"
)

// A list of words, as numbers: the whole of it, and what is in use at first.
const (
	wordsGrown = 4_000_000
	wordsFew   = 1000
)

// findWords looks for a word in a list every millisecond, or as often as it can, and
// reports how many times it did. While a file is there the list is a long one.
func findWords(args []string) error {
	grown, reportTo := args[0], args[1]
	list := make([]int32, wordsGrown)
	for i := range list {
		list[i] = int32(i)
	}
	found := int64(0)
	next := time.Now()
	for turn := int64(1); ; turn++ {
		few := list[:wordsFew]
		if _, err := os.Stat(grown); err == nil {
			few = list
		}
		found += int64(findWord(few, int32(len(few)-1)))
		if err := report(reportTo, turn); err != nil {
			return err
		}
		if next = next.Add(time.Millisecond); time.Until(next) > 0 {
			time.Sleep(time.Until(next))
		} else {
			next = time.Now()
		}
	}
}

// findWord is what the lab expects to be hot.
//
//go:noinline
func findWord(list []int32, word int32) int {
	for i, w := range list {
		if w == word {
			return i
		}
	}
	return -1
}
