package prototest_test

import (
	"path/filepath"
	"testing"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto/prototest"
)

// beginning keeps so much of a conversation that every kind of message is in it.
func beginning(list []prototest.Event, most int) (short []prototest.Event) {
	var offset [2]uint64
	for _, e := range list {
		if most <= 0 {
			break
		}
		e.Data = e.Data[:min(len(e.Data), most, 200)]
		e.Offset = offset[e.Dir]
		offset[e.Dir] += uint64(len(e.Data))
		most -= len(e.Data)
		short = append(short, e)
	}
	return short
}

// TestLengths feeds every decoder what its servers and clients say, with every
// number in it replaced by bad ones.
func TestLengths(t *testing.T) {
	for _, p := range engine.Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob("../" + p.Name + "/testdata/*.pcap")
			if err != nil {
				t.Fatal(err)
			}
			if p.Name == "generic" {
				files = []string{"../redis/testdata/redis7.pcap"}
			}
			for _, file := range files {
				most := 0
				for i, conn := range prototest.Capture(t, file) {
					if i == 3 {
						break
					}
					if short := beginning(conn, 400); len(short) > most {
						most = len(short)
						prototest.Lengths(t, p, short)
					}
				}
			}
		})
	}
}

// TestForeignBytes feeds every decoder what others understand: the guess which
// one is needed may be wrong.
func TestForeignBytes(t *testing.T) {
	files, err := filepath.Glob("../*/testdata/*.pcap")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, conn := range prototest.Capture(t, file) {
			for _, p := range engine.Protocols() {
				for _, midway := range []bool{false, true} {
					prototest.Run(p, conn, midway, flow.Open)
				}
			}
		}
	}
}
