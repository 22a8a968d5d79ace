//go:build race

package recording

// raced says that the race detector watches, with which all takes ten times as long.
const raced = true
