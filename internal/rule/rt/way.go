package rt

import (
	"slices"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// way is what a capture knows of the way from where it was taken to one end.
type way struct {
	Samples   int           // handshakes, or pure acknowledgements
	Fast, RTT time.Duration // the tenth percentile and the median of the round trip
	Slow      time.Duration // the ninetieth percentile
	Here      bool          // that end is on the host where the capture was taken
	Means     bool          // RTT and Slow are means of connections, not single round trips
	// Worst says that only the connections were kept that most was waited for; Mean
	// is that of all handshakes then.
	Worst bool
	Mean  time.Duration
}

// slowAtLeast says that many round trips take so long: of the worst connections
// alone nobody can tell, but the mean of all can.
func (w way) slowAtLeast(d time.Duration) bool {
	return w.Slow >= d && (!w.Worst || w.Mean >= d)
}

var fewSamples = rule.Threshold{Name: "few-samples", Value: 20, Unit: "count", Source: rule.Judgement,
	Reason: "Round trips needed to judge a path. Fewer may be fast by chance."}

// known says whether the way was seen well enough to be counted out.
func (w way) known() bool { return w.Here || w.Samples >= fewSamples.Int() }

// toServer is the way from the capture to the server of a service.
func toServer(v *view.View, s *view.PacketService) way {
	w := wayOf(s,
		func(c *view.PacketConnection) time.Duration { return c.ServerRTT },
		func(c *view.PacketConnection) (int64, time.Duration, time.Duration) {
			return c.FromClient.RTTs, c.FromClient.RTTSum, c.FromClient.RTTMin
		}, served(v, s))
	w.Worst = !v.ConnectionsComplete()
	w.Mean, _, _ = s.ConnectRTT()
	return w
}

// toClients is the way from the capture to the clients of a service.
func toClients(v *view.View, s *view.PacketService) way {
	w := wayOf(s,
		func(c *view.PacketConnection) time.Duration { return c.ClientRTT },
		func(c *view.PacketConnection) (int64, time.Duration, time.Duration) {
			return c.FromServer.RTTs, c.FromServer.RTTSum, c.FromServer.RTTMin
		}, false)
	w.Worst = !v.ConnectionsComplete()
	_, w.Mean, _ = s.ConnectRTT()
	return w
}

// served says that the server is on this host.
func served(v *view.View, s *view.PacketService) bool {
	_, ok := v.ServedBy(s.Server, s.Port)
	return ok
}

// delayedACK is how long Linux holds an acknowledgement back (TCP_DELACK_MIN,
// include/net/tcp.h): a pure one that came later than this after the fastest
// one says more about the way than about the timer.
const delayedACK = 40 * time.Millisecond

// wayOf takes handshakes, which the kernel answers by itself, and where they
// are few the pure acknowledgements, of which it may hold some back.
func wayOf(s *view.PacketService, handshake func(*view.PacketConnection) time.Duration,
	acks func(*view.PacketConnection) (n int64, sum, least time.Duration), here bool) way {
	var trips, means []time.Duration
	samples := 0
	for _, c := range s.Connections {
		if d := handshake(c); d > 0 {
			trips = append(trips, d)
		}
		if n, sum, least := acks(c); n > 0 {
			mean := sum / time.Duration(n)
			if mean <= least+delayedACK+delayedACK/4 {
				mean = least // what the timer explains is not the way's
			}
			means = append(means, mean)
			samples += int(n)
		}
	}
	w := way{Here: here}
	w.Fast, w.RTT, w.Slow, w.Samples = at(trips, 0.1), at(trips, 0.5), at(trips, 0.9), len(trips)
	if len(trips) < fewSamples.Int() && samples > len(trips) {
		w.Fast, w.RTT, w.Slow, w.Samples, w.Means = at(means, 0.1), at(means, 0.5), at(means, 0.9), samples, true
	}
	return w
}

// at is the value that a share q of a list does not exceed; 0 of an empty one.
func at(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}
