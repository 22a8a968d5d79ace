package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Functions and lines of this program are those that its own runtime says.
func TestPlaces(t *testing.T) {
	var asked []uint64
	for _, f := range []any{TestPlaces, strings.Cut, os.Open, parseMapping, nameOffsets, (*Code).Places, fmt.Sprintf} {
		start := uint64(reflect.ValueOf(f).Pointer())
		asked = append(asked, start, start+9, start+40)
	}
	c := NewCode()
	me := Process{PID: int32(os.Getpid())}
	for _, place := range c.Places(map[Process][]uint64{me: asked}, nil)[me] {
		if place.Source != "" || place.Function == "" {
			t.Errorf("without lines: %+v", place)
		}
	}
	for range 2 { // read, and remembered
		places := c.Places(map[Process][]uint64{me: asked}, All)[me]
		for _, a := range asked {
			f := runtime.FuncForPC(uintptr(a))
			file, line := f.FileLine(uintptr(a))
			want := fmt.Sprintf("%s:%d", file, line)
			got := places[a]
			// The runtime names what was inlined there.
			if got.Source != want || !strings.HasPrefix(got.Module, "stack") || got.Function == "" || f.Entry() == uintptr(a) && got.Function != f.Name() {
				t.Errorf("%#x: %+v, want %s %s", a, got, f.Name(), want)
			}
		}
	}
}

// What has ended is named from what was seen before, and what is nowhere is not named.
func TestPlacesOfNobody(t *testing.T) {
	c := NewCode()
	start := uint64(reflect.ValueOf(parseMapping).Pointer())
	maps, err := filesOf(int32(os.Getpid())).mappings(nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := Process{PID: 1 << 30, Started: time.Unix(1, 0)}
	c.processes[gone] = maps
	if got := c.Places(map[Process][]uint64{gone: {start, 1}}, nil)[gone][start]; !strings.HasSuffix(got.Function, "parseMapping") {
		t.Errorf("of a process that has ended: %+v", got)
	}
	c.Forget(func(Process) bool { return false })
	if got := c.Places(map[Process][]uint64{gone: {start}}, All)[gone][start]; got != (Place{}) || got.Name() != "??" {
		t.Errorf("of a process that nobody saw: %+v", got)
	}
}

// A damaged or strange file names nothing.
func TestNameOffsetsOfGarbage(t *testing.T) {
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("hello"), "cut": exe[:len(exe)/3], "header": exe[:64]} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		places := []Place{{lined: true}}
		nameOffsets(f, ownFiles(), []uint64{0x1000}, places)
		f.Close()
		if places[0] != (Place{lined: true}) {
			t.Errorf("%s: %+v", name, places[0])
		}
	}
}

func TestJITName(t *testing.T) {
	for name, want := range map[string][2]string{
		"JS:*fib /srv/app/work.js:3:14":            {"fib", "/srv/app/work.js:3"},
		"LazyCompile:~handle file:///a b.mjs:10:1": {"handle", "/a b.mjs:10"},
		"JS:^ /srv/app.js:1:1":                     {"(anonymous)", "/srv/app.js:1"},
		"Builtin:ArrayMap":                         {"ArrayMap", ""},
		"com.example.Main::run":                    {"com.example.Main::run", ""},
		"void [App] A::B(int32)[Tier0]":            {"void [App] A::B(int32)[Tier0]", ""},
		strings.Repeat("x", 300):                   {strings.Repeat("x", 200) + "...", ""},
	} {
		if function, source := jitName(name); function != want[0] || source != want[1] {
			t.Errorf("%s: %q %q, want %q", name, function, source, want)
		}
	}
}
