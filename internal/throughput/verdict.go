package throughput

import (
	"fmt"
	"math"
	"slices"
	"time"

	"rtrail/internal/conclusion"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

// Verdict is what limits a run. Kinds are receiver-window, receiver-slow, send-buffer, sender,
// loss, rate, queue, cpu, concurrency and unknown; those of JudgePackets are told there.
type Verdict = conclusion.Verdict

// Step is what to do next.
type Step = conclusion.Step

const (
	// mostOfTheTime is the share of the time from which on something is what limits.
	mostOfTheTime = 0.5
	// held is the share of the time from which on a window limits that its size accounts for.
	held = 0.2
	// nearWindow is how far the rate is from a window per round trip where that is what limits.
	nearWindow = 2.0
	// farWindow is how far below a window per round trip the rate is where a reader limits who empties it at times.
	farWindow = 10.0
	// wakeUp is what a buffer has to hold: the time in which a writer that waits for room comes to run.
	wakeUp = 100 * time.Microsecond
	// fullCPU is a CPU without time left.
	fullCPU = 0.95
	// queued is how many times the shortest round trip the usual one takes where packets wait in a queue.
	queued = 2.0
	// queuedAtLeast is the least wait in a queue that is told: below it schedulers and interrupts take as long.
	queuedAtLeast = time.Millisecond
	// enough is how many seconds show that a rate is steady.
	enough = 4
	// steady is how far seconds are from their median where something holds the rate.
	steady = 0.05
	// exact is how far seconds are from their median where no CPU makes the rate: others use it, too.
	exact = 0.01
	// fewLosses is the loss rate below which congestion control is hardly held back in local networks.
	fewLosses = 0.0005
	// nearBound is the least throughput relative to what a connection reaches at its losses (Mathis et al., 1997).
	nearBound = 0.3
	// bearable is the loss rate from which on BBR loses throughput: it sends up to a quarter more
	// than gets through, so that a fifth of that may be lost (Cardwell et al., 2016, figure 8).
	bearable = 0.2
)

// total is what samples sum up to, without the first one, in which a connection begins slowly.
type total struct {
	seconds                       float64
	acked, segments, again        float64
	busy, rwnd, sndbuf, cpu, peer float64
	rtt, minRTT                   time.Duration
	mss, window, buffer, streams  float64
	spread                        float64 // of the rates, relative to their median
	n                             int     // samples
	calm                          float64 // the busiest CPU of the second in which it was least busy
	smallest                      int64   // window of the receiver
	congestion                    string
}

func totalOf(samples []Sample) (t total, ok bool) {
	if len(samples) > 2 {
		samples = samples[1:]
	}
	if len(samples) == 0 {
		return t, false
	}
	n := float64(len(samples))
	t.n = len(samples)
	var rates []float64
	var rtts []time.Duration
	var windows []int64
	t.minRTT, t.smallest, t.calm = time.Hour, math.MaxInt64, 1
	for i := range samples {
		s := &samples[i]
		t.seconds += s.Length.Seconds()
		t.acked += float64(s.Acked)
		t.segments += float64(s.Segments)
		t.again += float64(s.Retransmitted)
		t.busy += s.Busy / n
		t.rwnd += s.RwndLimited / n
		t.sndbuf += s.SndbufLimited / n
		t.cpu = max(t.cpu, s.CPU)
		t.peer = max(t.peer, s.PeerCPU)
		t.calm = min(t.calm, max(s.CPU, s.PeerCPU))
		t.minRTT = min(t.minRTT, s.MinRTT)
		t.smallest = min(t.smallest, s.PeerWindow)
		rtts, windows = append(rtts, s.RTT), append(windows, s.PeerWindow)
		rates = append(rates, s.BitsPerSecond())
		t.mss, t.buffer, t.streams, t.congestion = float64(s.MSS), float64(s.SendBuffer), float64(s.Streams), s.Congestion
	}
	slices.Sort(rtts)
	slices.Sort(windows)
	slices.Sort(rates)
	t.rtt, t.window = rtts[len(rtts)/2], float64(windows[len(windows)/2])
	mid := rates[len(rates)/2]
	t.spread = max(rates[len(rates)-1]-mid, mid-rates[0]) / max(mid, 1)
	return t, t.seconds > 0 && t.acked > 0
}

// bits is the rate of all streams.
func (t *total) bits() float64 { return 8 * t.acked / t.seconds }

// Judge says what limits the throughput.
func Judge(r *Result) Verdict {
	t, ok := totalOf(r.Samples)
	if !ok {
		return Verdict{Kind: "unknown", Sure: "certain", Headline: "no data was transferred"}
	}
	rate := BitRate(t.bits())
	host, port := r.Plan.where()
	v := Verdict{Sure: "likely", Proof: t.proof()}
	loss := t.again / max(t.segments, 1)
	waits := t.rtt - t.minRTT
	perWindow := t.streams * t.window / max(t.rtt.Seconds(), 1e-6) / (t.bits() / 8)
	switch {
	case t.rwnd >= mostOfTheTime*t.busy && t.rwnd >= held && float64(t.smallest) < t.mss:
		v.Kind, v.Sure = "receiver-slow", "certain"
		v.Headline = fmt.Sprintf("%v: the receiver does not read as fast as data comes; its window was closed", rate)
		v.Next = []Step{conclusion.Do("on the receiver: see what keeps the reader", shell.Line("sudo rtrail"))}
	case t.rwnd >= mostOfTheTime*t.busy && t.rwnd >= held && perWindow > farWindow:
		v.Kind = "receiver-slow"
		v.Headline = fmt.Sprintf("%v: the receiver does not read as fast as data comes; its window of %v, enough for %v, was full %s of the time", rate, unit.Bytes(t.window), BitRate(perWindow*t.bits()), unit.Share(t.rwnd))
		v.Next = []Step{conclusion.Do("on the receiver: see what keeps the reader", shell.Line("sudo rtrail"))}
	case t.rwnd >= held && (t.rwnd >= mostOfTheTime*t.busy || perWindow <= nearWindow):
		v.Kind, v.Sure = "receiver-window", "certain"
		v.Headline = fmt.Sprintf("%v: the receiver's window of %v is used up each round trip of %v", rate, unit.Bytes(t.window), unit.Duration(t.rtt))
		v.Next = []Step{conclusion.Do("on the receiver: check the limit (the third value of tcp_rmem), and raise it", shell.Line("sysctl net.ipv4.tcp_rmem net.ipv4.tcp_moderate_rcvbuf"))}
	case t.sndbuf >= mostOfTheTime*t.busy && t.sndbuf >= held:
		v.Kind, v.Sure = "send-buffer", "certain"
		v.Headline = fmt.Sprintf("%v: the send buffer of %v is too small for a round trip of %v", rate, unit.Bytes(t.buffer), unit.Duration(t.rtt))
		v.Next = []Step{conclusion.Do("on the sender: check the limit (the third value of tcp_wmem), and raise it", shell.Line("sysctl net.ipv4.tcp_wmem"))}
	case t.slowedBy(loss) && float64(t.rtt) < queued*float64(t.minRTT)+float64(queuedAtLeast):
		v.Kind = "loss"
		v.Headline = fmt.Sprintf("%v: losses limit it: %s of segments are sent again at a round trip of %v", rate, unit.Share(loss), unit.Duration(t.rtt))
		v.Next = []Step{conclusion.Do("find where packets get lost", shell.Line("tc -s qdisc; ip -s link; nstat -az 'TcpExt*Retrans*'"))}
		if !t.modelBased() {
			v.Next = append(v.Next, conclusion.Do("try another congestion control", shell.Line("rtrail throughput %s %s --congestion bbr", host, port)))
		}
	case waits >= queuedAtLeast && float64(t.rtt) >= queued*float64(t.minRTT) && (max(t.cpu, t.peer) < fullCPU || t.steady() && (t.calm < fullCPU || t.spread <= exact)):
		v.Kind = "rate"
		v.Headline = fmt.Sprintf("%v is what the path carries, second by second: a link or a shaper is full, and packets wait %v in its queue", rate, unit.Duration(waits))
		v.Next = []Step{conclusion.Do("look for shapers on both hosts", shell.Line("tc -s qdisc"))}
		switch {
		case !t.steady(): // a reader that waits for a CPU delays acknowledgements, too
			v.Kind = "queue"
			v.Headline = fmt.Sprintf("%v: packets or their acknowledgements wait %v, in a queue of the path or for a receiver that gets no CPU", rate, unit.Duration(waits))
			v.Next = append(v.Next, conclusion.Do("on the receiver: see whether its reader gets a CPU", shell.Line("sudo rtrail")))
		case max(t.cpu, t.peer) < fullCPU:
			v.Sure = "certain"
		}
	case 8*t.buffer*t.streams < wakeUp.Seconds()*t.bits():
		v.Kind = "send-buffer"
		v.Headline = fmt.Sprintf("%v: the send buffer of %v holds no more than %v of it: the writer has to be woken as often", rate, unit.Bytes(t.buffer), unit.Duration(time.Duration(8*t.buffer*t.streams/t.bits()*1e9)))
		v.Next = []Step{conclusion.Do("on the sender: check the limit (the third value of tcp_wmem), and raise it", shell.Line("sysctl net.ipv4.tcp_wmem"))}
	case max(t.cpu, t.peer) >= fullCPU:
		v.Kind = "cpu"
		v.Headline = fmt.Sprintf("%v: a CPU of the %s is full", rate, fuller(t.cpu, t.peer))
		v.Next = []Step{conclusion.Do("see which one, and what it does", shell.Line("mpstat -P ALL 1 5")), conclusion.Do("try more streams", shell.Line("rtrail throughput %s %s --streams 4", host, port))}
	case t.busy < mostOfTheTime:
		v.Kind = "sender"
		v.Headline = fmt.Sprintf("%v: the sender does not keep the connection busy", rate)
		v.Next = []Step{conclusion.Do("on the sender: see what it waits for", shell.Line("sudo rtrail"))}
	case t.steady():
		v.Kind = "rate"
		v.Headline = fmt.Sprintf("%v, constant over %d s: a policer, a limit of the link or of a virtual machine caps it", rate, t.n)
	case t.n < enough:
		v.Kind, v.Headline = "unknown", fmt.Sprintf("%v; the run is too short to say what limits it: use --for 10s", rate)
	default:
		v.Kind, v.Headline = "unknown", fmt.Sprintf("%v; nothing shows what limits it", rate)
	}
	return v
}

// modelBased says that the congestion control does not slow down for single losses, as those
// of other names do, bbr2 and bbr3 included.
func (t *total) modelBased() bool { return t.congestion == "bbr" }

// slowedBy says whether losses hold the congestion control back.
func (t *total) slowedBy(loss float64) bool {
	if t.modelBased() {
		return loss >= bearable
	}
	bound := 1.22 * t.mss / max(t.minRTT.Seconds(), 1e-6) / math.Sqrt(max(loss, 1e-9)) * t.streams
	return loss >= fewLosses && t.bits()/8 >= nearBound*bound
}

// steady says that the rate is the same each second.
func (t *total) steady() bool { return t.n >= enough && t.spread <= steady }

// fuller says which host has the fuller CPU; on one host both have the same ones.
func fuller(sender, receiver float64) string {
	switch {
	case sender >= fullCPU && receiver >= fullCPU:
		return "sender and one of the receiver"
	case receiver > sender:
		return "receiver"
	}
	return "sender"
}

func (t *total) proof() []string {
	list := []string{
		fmt.Sprintf("round trip %v, shortest %v; %s of segments sent again; %s", unit.Duration(t.rtt), unit.Duration(t.minRTT), unit.Share(t.again/max(t.segments, 1)), t.congestion),
		fmt.Sprintf("of the time: busy %s, rwnd_limited %s, sndbuf_limited %s", unit.Share(t.busy), unit.Share(t.rwnd), unit.Share(t.sndbuf)),
		fmt.Sprintf("busiest CPU: sender %s, receiver %s", unit.Share(t.cpu), unit.Share(t.peer)),
	}
	return list
}

// flat is how much the rate grows at most, for twice the streams, where it has its limit.
const flat = 1.1

// JudgeLadder says where more streams bring no more requests.
func JudgeLadder(rungs []Rung) Verdict {
	for i := range rungs {
		if rungs[i].Requests == 0 {
			return Verdict{Kind: "unknown", Sure: "certain", Headline: fmt.Sprintf("no request was answered over %s", unit.Plural(rungs[i].Streams, "stream", "streams"))}
		}
	}
	for i := 0; i+1 < len(rungs); i++ {
		a, last := &rungs[i], &rungs[len(rungs)-1]
		most := 0.0
		for _, r := range rungs[i+1:] {
			most = max(most, r.PerSecond)
		}
		if last.Streams < 2*a.Streams || a.PerSecond <= 0 || most > flat*a.PerSecond {
			continue
		}
		v := Verdict{Kind: "concurrency", Sure: "likely", Headline: fmt.Sprintf("the limit is about %v requests/s, from %s on: more only raise the response time (%v to %v)",
			unit.Count(max(a.PerSecond, most)), unit.Plural(a.Streams, "stream", "streams"), unit.Duration(a.Mean), unit.Duration(last.Mean))}
		v.Proof = []string{fmt.Sprintf("%.3g times the streams: %.3g times the requests/s, %.3g times the response time", float64(last.Streams)/float64(a.Streams), last.PerSecond/a.PerSecond, last.Mean.Seconds()/max(a.Mean.Seconds(), 1e-9))}
		if words := round(max(a.PerSecond, most), "requests/s"); words != "" {
			v.Proof = append(v.Proof, words)
		}
		v.Next = []Step{conclusion.Do("tell a full CPU from a limit of packets per second", shell.Line("mpstat -P ALL 1 5; sar -n DEV 1 5")), conclusion.Do("see what the path carries", shell.Line("rtrail throughput HOST PORT --packets"))}
		if cpu := max(last.CPU, last.PeerCPU); cpu >= fullCPU {
			v.Proof = append(v.Proof, fmt.Sprintf("busiest CPU: here %s, at the server %s", unit.Share(last.CPU), unit.Share(last.PeerCPU)))
			v.Kind = "cpu"
			v.Headline += "; a CPU is full"
		} else {
			v.Proof = append(v.Proof, fmt.Sprintf("no CPU is full (here %s, at the server %s): the path or its ends limit packets per second", unit.Share(last.CPU), unit.Share(last.PeerCPU)))
		}
		return v
	}
	if n := len(rungs); n < 2 || rungs[n-1].Streams < 2*rungs[0].Streams {
		return Verdict{Kind: "unknown", Sure: "likely", Headline: "too few steps to find a limit: double the streams at least once, as in --ladder 1,2,4,8"}
	}
	return Verdict{Kind: "unknown", Sure: "likely", Headline: "more streams brought more requests up to the end: the limit was not reached"}
}

// BitRate prints bits per second as networks are sold: "9.41 Gbit/s".
type BitRate float64

func (b BitRate) String() string {
	for _, u := range []struct {
		name string
		size float64
	}{{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}} {
		if float64(b) >= u.size {
			return fmt.Sprintf("%v %s", unit.Number(float64(b)/u.size), u.name)
		}
	}
	return fmt.Sprintf("%v bit/s", unit.Number(float64(b)))
}
