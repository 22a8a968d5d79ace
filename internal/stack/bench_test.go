package stack

import (
	"bytes"
	"os"
	"testing"
)

func BenchmarkGDB(b *testing.B) {
	text, err := os.ReadFile("testdata/mysql-5.6.constructed.gdb")
	if err != nil {
		b.Fatal(err)
	}
	text = bytes.Repeat(text, 8)
	b.SetBytes(int64(len(text)))
	s := &sink{aggregate: newAggregate("dump", nil, nil), pid: -1}
	for b.Loop() {
		parseNative(text, s)
	}
}
