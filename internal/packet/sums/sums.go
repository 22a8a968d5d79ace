// Package sums holds the sums of requests and packets that go from the packet
// engine through recordings to rules: each is one struct with one Add, which rows
// of recordings embed.
package sums

import "time"

// Requests are sums over the requests of a service. Times and bytes are of those
// that count.
type Requests struct {
	Count       int64         `parquet:"count"`       // requests whose times count
	Failed      int64         `parquet:"failed"`      // of all answered ones, those answered with an error; and clients turned away
	Approximate int64         `parquet:"approximate"` // of count, those whose boundaries were inferred
	Ambiguous   int64         `parquet:"ambiguous"`   // these five were left out
	Lossy       int64         `parquet:"lossy"`
	Unanswered  int64         `parquet:"unanswered"`
	Unpaired    int64         `parquet:"unpaired"`
	Blocking    int64         `parquet:"blocking"`    // the server waited because it was asked to (BRPOP of Redis); 0 in recordings of older versions, which count these
	TurnedAway  int64         `parquet:"turned_away"` // of failed: clients that the server refused before they asked for anything
	RTSum       time.Duration `parquet:"rt_sum_ns"`
	RTMin       time.Duration `parquet:"rt_min_ns" over:"min,count"`  // 0 while count is 0
	RTMax       time.Duration `parquet:"rt_max_ns" over:"p100,count"` // the same

	Upload        time.Duration `parquet:"upload_ns"` // sums from here on
	Serve         time.Duration `parquet:"serve_ns"`
	Download      time.Duration `parquet:"download_ns"`
	Idle          time.Duration `parquet:"idle_ns"`
	Retransmit    time.Duration `parquet:"retransmit_ns"`
	ZeroWindow    time.Duration `parquet:"zero_window_ns"`
	DelayedACK    time.Duration `parquet:"delayed_ack_ns"`
	RequestBytes  int64         `parquet:"request_bytes"`
	ResponseBytes int64         `parquet:"response_bytes"`
}

// Add adds the sums of other requests.
func (s *Requests) Add(o *Requests) {
	if s.Count == 0 || o.Count > 0 && o.RTMin < s.RTMin {
		s.RTMin = o.RTMin
	}
	s.RTMax = max(s.RTMax, o.RTMax)
	s.Count += o.Count
	s.Failed += o.Failed
	s.Approximate += o.Approximate
	s.Ambiguous += o.Ambiguous
	s.Lossy += o.Lossy
	s.Unanswered += o.Unanswered
	s.Unpaired += o.Unpaired
	s.Blocking += o.Blocking
	s.TurnedAway += o.TurnedAway
	s.RTSum += o.RTSum
	s.Upload += o.Upload
	s.Serve += o.Serve
	s.Download += o.Download
	s.Idle += o.Idle
	s.Retransmit += o.Retransmit
	s.ZeroWindow += o.ZeroWindow
	s.DelayedACK += o.DelayedACK
	s.RequestBytes += o.RequestBytes
	s.ResponseBytes += o.ResponseBytes
}

// Excluded is how many requests were seen but left out of the times because of
// doubt.
func (s *Requests) Excluded() int64 {
	return s.Ambiguous + s.Lossy + s.Unanswered + s.Unpaired + s.Blocking
}

// Mean is the mean response time; 0 if there is none.
func (s *Requests) Mean() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return s.RTSum / time.Duration(s.Count)
}

// Path are sums over the packets of a service.
type Path struct {
	Handshakes      int64         `parquet:"handshakes"`    // complete ones without lost copies
	ServerRTT       time.Duration `parquet:"server_rtt_ns"` // sum over them: SYN to SYN-ACK
	ClientRTT       time.Duration `parquet:"client_rtt_ns"` // sum over them: SYN-ACK to ACK
	Retransmissions int64         `parquet:"retransmissions"`
}

// Add adds the sums of other packets.
func (s *Path) Add(o *Path) {
	s.Handshakes += o.Handshakes
	s.ServerRTT += o.ServerRTT
	s.ClientRTT += o.ClientRTT
	s.Retransmissions += o.Retransmissions
}

// HandshakeRTT is the mean round trip seen in handshakes, from client to server; 0
// if no handshake was complete.
func (s *Path) HandshakeRTT() time.Duration {
	if s.Handshakes == 0 {
		return 0
	}
	return (s.ServerRTT + s.ClientRTT) / time.Duration(s.Handshakes)
}

// ConnectRTT is the same by its parts: capture to server and capture to client. ok
// is false if no handshake was complete.
func (s *Path) ConnectRTT() (server, client time.Duration, ok bool) {
	if s.Handshakes == 0 {
		return 0, 0, false
	}
	n := time.Duration(s.Handshakes)
	return s.ServerRTT / n, s.ClientRTT / n, true
}
