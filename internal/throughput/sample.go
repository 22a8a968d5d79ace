package throughput

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Sample is what the sockets of a sender did in a second. Sums are over all streams, the rest
// is of the median stream.
type Sample struct {
	Second        int           `json:"second"` // from 1
	Streams       int           `json:"streams"`
	Length        time.Duration `json:"length_ns"`
	Acked         int64         `json:"acked_bytes"` // payload that the receiver acknowledged
	Segments      int64         `json:"segments"`    // with data, sent again ones included
	Retransmitted int64         `json:"retransmitted"`
	RTT           time.Duration `json:"rtt_ns"`
	MinRTT        time.Duration `json:"min_rtt_ns"`
	MSS           int           `json:"mss"`
	Cwnd          int64         `json:"cwnd_bytes"`
	Ssthresh      int64         `json:"ssthresh_bytes"` // 0: none yet
	PeerWindow    int64         `json:"peer_window_bytes"`
	NotSent       int64         `json:"not_sent_bytes"` // waits in the socket
	SendBuffer    int64         `json:"send_buffer_bytes"`
	Pacing        int64         `json:"pacing_bytes_per_second"` // 0: none
	Congestion    string        `json:"congestion_control"`
	// Shares of the time, mean of the streams.
	Busy          float64 `json:"busy"`             // there was something to send or to be acknowledged
	RwndLimited   float64 `json:"rwnd_limited"`     // the receiver's window was full
	SndbufLimited float64 `json:"sndbuf_limited"`   // the send buffer was full
	CPU           float64 `json:"busiest_cpu"`      // of the sender's host: how busy its busiest CPU was
	PeerCPU       float64 `json:"peer_busiest_cpu"` // the same of the receiver's
}

// BitsPerSecond is the rate of the payload.
func (s *Sample) BitsPerSecond() float64 { return 8 * float64(s.Acked) / max(s.Length.Seconds(), 1e-9) }

// sane says whether the numbers of a sample that somebody else took can be.
func (s *Sample) sane() bool {
	const most = 1 << 50
	for _, n := range []int64{s.Acked, s.Segments, s.Retransmitted, s.Cwnd, s.Ssthresh, s.PeerWindow, s.NotSent, s.SendBuffer, s.Pacing, int64(s.MSS)} {
		if n < 0 || n > most {
			return false
		}
	}
	for _, d := range []time.Duration{s.Length, s.RTT, s.MinRTT} {
		if d < 0 || d > time.Hour {
			return false
		}
	}
	for _, share := range []float64{s.Busy, s.RwndLimited, s.SndbufLimited, s.CPU, s.PeerCPU} {
		if share < 0 || share > 2 {
			return false
		}
	}
	return s.Streams >= 0 && s.Streams <= MostStreams && len(s.Congestion) <= longestName
}

// longestName is the kernel's TCP_CA_NAME_MAX.
const longestName = 16

// stream is the socket of one connection as it was last read.
type stream struct {
	raw  *net.TCPConn
	last unix.TCPInfo
	seen bool
	at   time.Time
}

// reading is what one stream did since it was read before.
type reading struct {
	delta, now unix.TCPInfo
	length     time.Duration
	sendBuffer int
	congestion string
}

// read takes the socket's counts.
func (s *stream) read() (reading, error) {
	var r reading
	var failed error
	c, err := s.raw.SyscallConn()
	if err != nil {
		return r, err
	}
	err = c.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			failed = err
			return
		}
		r.now = *info
		r.sendBuffer, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
		r.congestion, _ = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return r, err
	}
	now := time.Now()
	if s.seen {
		r.length = now.Sub(s.at)
	}
	r.delta = unix.TCPInfo{
		Bytes_acked: r.now.Bytes_acked - s.last.Bytes_acked, Data_segs_out: r.now.Data_segs_out - s.last.Data_segs_out,
		Total_retrans: r.now.Total_retrans - s.last.Total_retrans, Busy_time: r.now.Busy_time - s.last.Busy_time,
		Rwnd_limited: r.now.Rwnd_limited - s.last.Rwnd_limited, Sndbuf_limited: r.now.Sndbuf_limited - s.last.Sndbuf_limited,
	}
	s.last, s.seen, s.at = r.now, true, now
	return r, nil
}

// noThreshold is what the kernel says as long as there is none (TCP_INFINITE_SSTHRESH).
const noThreshold = 0x7fffffff

// sum makes a sample of the readings of all streams.
func sum(second int, list []reading) Sample {
	s := Sample{Second: second, Streams: len(list)}
	for i := range list {
		d := &list[i].delta
		s.Length = max(s.Length, list[i].length)
		s.Acked += int64(d.Bytes_acked)
		s.Segments += int64(d.Data_segs_out)
		s.Retransmitted += int64(d.Total_retrans)
		us := float64(max(list[i].length.Microseconds(), 1)) * float64(len(list))
		s.Busy += float64(d.Busy_time) / us
		s.RwndLimited += float64(d.Rwnd_limited) / us
		s.SndbufLimited += float64(d.Sndbuf_limited) / us
	}
	mss := int64(1)
	if len(list) > 0 {
		mss = int64(list[0].now.Snd_mss)
		s.MSS, s.Congestion = int(mss), list[0].congestion
	}
	s.RTT = time.Duration(median(list, func(r *reading) int64 { return int64(r.now.Rtt) })) * time.Microsecond
	s.MinRTT = time.Duration(median(list, func(r *reading) int64 { return int64(r.now.Min_rtt) })) * time.Microsecond
	s.Cwnd = mss * median(list, func(r *reading) int64 { return int64(r.now.Snd_cwnd) })
	s.PeerWindow = median(list, func(r *reading) int64 { return int64(r.now.Snd_wnd) })
	s.NotSent = median(list, func(r *reading) int64 { return int64(r.now.Notsent_bytes) })
	s.SendBuffer = median(list, func(r *reading) int64 { return int64(r.sendBuffer) })
	if t := median(list, func(r *reading) int64 { return int64(r.now.Snd_ssthresh) }); t < noThreshold {
		s.Ssthresh = mss * t
	}
	if p := median(list, func(r *reading) int64 { return int64(min(r.now.Pacing_rate, 1<<62)) }); p < 1<<62 {
		s.Pacing = p
	}
	return s
}
