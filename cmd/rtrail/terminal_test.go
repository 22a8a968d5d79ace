package main

import (
	"strings"
	"testing"
)

func TestWidthOfPipes(t *testing.T) {
	for columns, want := range map[string]int{"": pipeWidth, "60": 60, "200": 200, "0": pipeWidth, "-5": pipeWidth, "wide": pipeWidth, "99999": pipeWidth} {
		t.Setenv("COLUMNS", columns)
		if got, tty := terminalWidth(&strings.Builder{}); got != want || tty {
			t.Errorf("COLUMNS=%s: %d columns, a terminal: %t; want %d of none", columns, got, tty, want)
		}
	}
}
