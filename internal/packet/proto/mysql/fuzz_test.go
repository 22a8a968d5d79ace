package mysql

import (
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto/prototest"
)

// FuzzParser reads an input as packets: direction, length and what is missing,
// then bytes.
func FuzzParser(f *testing.F) {
	for _, c := range scripts() {
		var in []byte
		if c.name == "statement of two packets" || c.name == "row of two packets" {
			continue // 16 MB
		}
		for _, s := range c.steps {
			for b := []byte(s.Data); len(b) > 0; {
				n := min(len(b), 255)
				in = append(in, byte(s.From), byte(n), byte(s.Cut), byte(s.Gap))
				in = append(in, b[:n]...)
				b = b[n:]
			}
		}
		f.Add(in, c.midway)
	}
	f.Fuzz(func(t *testing.T, in []byte, midway bool) {
		var steps []prototest.Step
		for at := int64(0); len(in) > 4; at++ {
			n := min(int(in[1]), len(in)-4)
			steps = append(steps, prototest.Step{At: at, From: flow.Dir(in[0] & 1), Data: string(in[4 : 4+n]), Cut: int(in[2]), Gap: int64(in[3])})
			in = in[4+n:]
		}
		// The recorder words every exchange, so that spans and texts are read.
		prototest.Run(Protocol, prototest.Events(steps), midway, flow.Open)
	})
}
