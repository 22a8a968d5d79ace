package safefile

import (
	"strings"
	"testing"

	"rtrail/internal/shell/shelltest"
)

func TestChmodIsPasted(t *testing.T) {
	for _, dir := range []string{"", "/srv/"} {
		shelltest.Pasted(t, "a", func(name string) string { return strings.TrimPrefix(orChmod(dir+name), ", or: ") })
	}
	if got := orChmod("a\x00b"); got != "" {
		t.Errorf("a path with NUL gives %q", got)
	}
}
