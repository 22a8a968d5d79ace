package crash

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func recovered(f func()) (c Crash) {
	defer func() {
		if v := recover(); v != nil {
			c = Of(v)
		}
	}()
	f()
	return Crash{}
}

func TestOf(t *testing.T) {
	none := []int{}
	for name, tc := range map[string]struct {
		f    func()
		what string
	}{
		"an index":          {func() { _ = none[len(none)+1] }, "index out of range [1] with length 0"},
		"an error":          {func() { panic(errors.New("no luck")) }, "no luck"},
		"in a library":      {func() { none = slices.Grow(none, -1) }, "cannot be negative"},
		"bytes of an input": {func() { panic("a\x1b[31m\nb\xff") }, "a [31m b?"},
		"much":              {func() { panic(strings.Repeat("x", 1000)) }, strings.Repeat("x", maxWhat) + "..."},
	} {
		t.Run(name, func(t *testing.T) {
			c := recovered(tc.f)
			if c.What != tc.what {
				t.Errorf("what %q, want %q", c.What, tc.what)
			}
			if !strings.HasPrefix(c.Where, "crash/crash_test.go:") {
				t.Errorf("where %q", c.Where)
			}
			if !strings.Contains(string(c.Stack), "TestOf") {
				t.Errorf("stack:\n%s", c.Stack)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	if err := Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Guard(func() error { return os.ErrExist }); err != os.ErrExist {
		t.Error(err)
	}
	if err := Guard(func() error { panic("here") }); err == nil || !strings.HasPrefix(err.Error(), "crashed (bug): here, at ") || !strings.Contains(err.Error(), "crash_test.go") {
		t.Error(err)
	}
}
