package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestOneDirection(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	conn := func(id, client, server, segments int64) []recording.Row {
		return []recording.Row{
			recording.PacketConnection{At: at, Last: at, ID: id, Client: "10.0.0.1", Server: "10.0.0.2", ServerPort: 80},
			recording.PacketSide{At: at, Connection: id, Sender: "client", Packets: client, Segments: segments},
			recording.PacketSide{At: at, Connection: id, Sender: "server", Packets: server},
		}
	}
	resolver := func(answered int64) []recording.Row {
		return []recording.Row{recording.PacketResolver{At: at, Server: "10.0.0.3", Queries: 9, Answered: answered}}
	}
	for _, tt := range []struct {
		name string
		rows [][]recording.Row
		live bool
		want [3]bool // of 10.0.0.1, 10.0.0.2, 10.0.0.3
	}{
		{"nothing", nil, false, [3]bool{true, true, true}},
		{"nothing, on this host", nil, true, [3]bool{}},
		{"both directions", [][]recording.Row{conn(1, 3, 2, 1)}, false, [3]bool{}},
		{"SYNs only", [][]recording.Row{conn(1, 3, 0, 0)}, false, [3]bool{true, true, true}},
		{"data in one, a resolver that answers", [][]recording.Row{conn(1, 3, 0, 2), resolver(1)}, false, [3]bool{true, true, false}},
		{"SYNs only, a resolver that answers", [][]recording.Row{conn(1, 3, 0, 0), resolver(1)}, false, [3]bool{}},
		{"a resolver that does not answer", [][]recording.Row{resolver(0)}, false, [3]bool{true, true, true}},
		{"it, and a connection", [][]recording.Row{resolver(0), conn(1, 3, 2, 1)}, false, [3]bool{}},
	} {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(at)
		for _, rows := range tt.rows {
			for _, row := range rows {
				switch row := row.(type) {
				case recording.PacketConnection:
					recording.Append(w, row)
				case recording.PacketSide:
					recording.Append(w, row)
				case recording.PacketResolver:
					recording.Append(w, row)
				}
			}
		}
		if tt.live {
			recording.Append(w, recording.SystemSample{At: at})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		v := New(rec, at, at.Add(time.Second))
		for i, host := range []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"} {
			if got := v.OneDirection(host); got != tt.want[i] {
				t.Errorf("%s: of %s %v, want %v", tt.name, host, got, tt.want[i])
			}
		}
	}
}
