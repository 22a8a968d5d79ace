package stack

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// Any text is read or refused, in one piece as in many, and what is counted
// adds up.
func fuzzFormat(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		data, err := os.ReadFile("testdata/" + s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 6000)])
	}
	var form *format
	for i := range formats {
		if formats[i].name == name {
			form = &formats[i]
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &sink{aggregate: newAggregate(form.kind, map[int32]float64{1: 1}, nil), pid: -1, vm: newJava()}
		form.parse(text, s)
		sum := int64(0)
		for _, st := range s.stacks {
			sum += st.Count
			if st.Count <= 0 || len(st.Frames) == 0 || len(st.Frames) > deepest {
				t.Fatalf("a stack of %d frames %d times", len(st.Frames), st.Count)
			}
		}
		if sum != s.threads {
			t.Fatalf("%d threads, %d in stacks", s.threads, sum)
		}
		s.vm.result(&Profile{})
		if n := form.start(text); n < 0 || n > len(text) {
			t.Fatalf("a thread begins at %d of %d", n, len(text))
		}
		p, err := Read(context.Background(), []string{"-"}, bytes.NewReader(text), Options{Workers: 2})
		if err == nil && len(p.Stacks) == 0 {
			t.Fatal("read, and there is nothing")
		}
	})
}

func FuzzGDB(f *testing.F) { fuzzFormat(f, "gdb", "mariadb-10.11.gdb", "mysql-5.6.constructed.gdb") }
func FuzzEUStack(f *testing.F) {
	fuzzFormat(f, "eu-stack", "mariadb-10.11.eu-stack", "mariadb-10.11.eu-stack-m")
}
func FuzzJStack(f *testing.F)    { fuzzFormat(f, "jstack", "java-17.jstack") }
func FuzzPerf(f *testing.F)      { fuzzFormat(f, "perf script", "mariadb-10.11.perf") }
func FuzzCollapsed(f *testing.F) { fuzzFormat(f, "collapsed", "java.collapsed") }
func FuzzGo(f *testing.F)        { fuzzFormat(f, "go", "go-1.26.goroutines") }

func FuzzTop(f *testing.F) {
	data, err := os.ReadFile("testdata/java-17.top")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, text []byte) {
		if threads, err := ReadTop(bytes.NewReader(text)); err == nil {
			for tid, cpu := range threads {
				if tid < 0 && cpu < 0 {
					t.Fatal(tid, cpu)
				}
			}
		}
	})
}
