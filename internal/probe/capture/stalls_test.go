package capture

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

// job is a request that comes at a time and needs so much of a server.
type job struct {
	at, takes  time.Duration
	connection uint64
	command    string
}

// worked has a server with some threads work on jobs, in the order in which they
// come, and gives what a capture shows of it. Between from and to of each period
// it does nothing.
func worked(proto string, threads int, jobs []job, frozen func(time.Duration) time.Duration) []rt.Transaction {
	slices.SortStableFunc(jobs, func(a, b job) int { return int(a.at - b.at) })
	free := make([]time.Duration, threads)
	var list []rt.Transaction
	for i, j := range jobs {
		slices.Sort(free)
		ends := max(j.at, free[0]) + j.takes
		if frozen != nil {
			ends = max(frozen(ends), ends)
		}
		free[0] = ends
		list = append(list, rt.Transaction{ID: uint64(i), Connection: j.connection, Server: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 6379},
			Proto: proto, Command: j.command, Start: int64(j.at), RT: ends - j.at, RequestBytes: int64(len(j.command)), RequestPackets: 1, Frames: [4]uint64{1, 1, 2, 2}})
	}
	// A capture shows them as they are answered.
	slices.SortStableFunc(list, func(a, b rt.Transaction) int { return int(a.Start + int64(a.RT) - b.Start - int64(b.RT)) })
	return list
}

// load is one quick command every 4 ms, on sixteen connections in turn, and a long
// one every 261 ms on another connection.
func load(long time.Duration) (jobs []job) {
	for at := time.Duration(0); at < 10*time.Second; at += 4 * time.Millisecond {
		jobs = append(jobs, job{at, 100 * time.Microsecond, uint64(at/(4*time.Millisecond))%16 + 1, "GET"})
	}
	for at := 50 * time.Millisecond; long > 0 && at < 10*time.Second; at += 261 * time.Millisecond {
		jobs = append(jobs, job{at, long, 99, "EVAL"})
	}
	return jobs
}

func TestStalls(t *testing.T) {
	const ms = time.Millisecond
	thirds := func(at time.Duration) time.Duration { // 200 of 300 ms
		if at%(300*ms) < 200*ms {
			return at - at%(300*ms) + 200*ms
		}
		return at
	}
	var polls []job // each connection waits for news, and then asks for something else
	for i := range 40 {
		at, c := time.Duration(i)*250*ms, uint64(i%4)+1
		polls = append(polls, job{at, 900 * ms, c, "a long poll"}, job{at + 905*ms, ms / 10, c, "fetch"})
	}
	for _, tt := range []struct {
		name   string
		list   []rt.Transaction
		all    int64         // stalls
		usual  time.Duration // of what waited
		holder string        // of rows by command
		count  int64         // that it held up others
	}{
		{"one thread, a long command", worked("redis", 1, load(60*ms), nil), 39, 100 * time.Microsecond, "EVAL", 39},
		{"four threads, a long command", worked("redis", 4, load(60*ms), nil), 0, 0, "", 0},
		{"one thread, no long command", worked("redis", 1, load(0), nil), 0, 0, "", 0},
		{"encrypted", worked("tls", 1, load(60*ms), nil), 39, 100 * time.Microsecond, "", 0},
		{"all are held up by something else", worked("redis", 4, load(0), thirds), 33, 100 * time.Microsecond, "", 0},
		{"long polls", worked("tls", 9, polls, nil), 0, 0, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Two workers saw it, the second nothing but connections with odd numbers.
			list := []*part{{stalls: stalls{most: 1 << 16}}, {stalls: stalls{most: 1 << 16}}}
			for i := range tt.list {
				list[tt.list[i].Connection%2].stalls.transaction(&tt.list[i])
			}
			rows := stallsOf(list, time.Unix(0, 0))
			var all, held recording.PacketStall
			for _, r := range rows {
				if r.Command == "" {
					all = r
				} else {
					held = r
				}
			}
			if len(rows) > 2 || all.Count != tt.all || all.Usual != tt.usual || held.Command != tt.holder || held.Count != tt.count || held.Answered != 0 {
				t.Errorf("%d rows, want %d stalls, %d by %q: %+v", len(rows), tt.all, tt.count, tt.holder, rows)
			}
			if tt.holder != "" && (held.P50 < 59*ms || held.Executions != tt.count || held.Waiting != "GET") {
				t.Errorf("%+v", held)
			}
		})
	}
}

// What came after the memory of one worker was full is left out for all: else times
// would seem without answers in which others were given.
func TestStallsOfLongCaptures(t *testing.T) {
	few := &part{stalls: stalls{most: 100}}
	many := &part{stalls: stalls{most: 1 << 16}}
	list := worked("redis", 1, load(60*time.Millisecond), nil)
	for i := range list {
		if list[i].Connection%2 == 1 {
			many.stalls.transaction(&list[i])
		} else {
			few.stalls.transaction(&list[i])
		}
	}
	rows := stallsOf([]*part{few, many}, time.Unix(0, 0))
	if len(rows) == 0 || rows[0].Count > 5 || rows[0].Requests > 210 {
		t.Errorf("%+v", rows)
	}
}
