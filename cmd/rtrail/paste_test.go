package main

import (
	"testing"

	"rtrail/internal/shell/shelltest"
)

func TestReplayIsPasted(t *testing.T) {
	for _, dir := range []string{"", "/srv/"} {
		shelltest.Pasted(t, "a", func(name string) string { return (&recordJob{dir: dir + name}).replay().String() })
	}
}
