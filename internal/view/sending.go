package view

import (
	"time"

	"rtrail/internal/recording"
)

// SentRate is what TCP connections brought to their peers between two readings of a network
// namespace.
type SentRate struct {
	At      time.Time // of the later reading
	Bytes   float64   // of data, acknowledged, per second
	Packets float64   // segments with data, repeats left out, per second
}

// SentRates adds up connections of one network namespace from reading to reading: a rate for
// each two of them, nil with fewer than two. What a connection brought after its last
// reading is not known.
func (v *View) SentRates(ns uint64, connections []*Connection) []SentRate {
	moments := v.TCPMoments(ns)
	if len(moments) < 2 {
		return nil
	}
	sums := make([]SentRate, len(moments))
	for _, c := range connections {
		var before *recording.TCPSample
		n := 0
		for _, r := range c.Samples {
			s := r.Of()
			if !s.Info || s == before {
				continue
			}
			for n+1 < len(moments) && !r.At().Before(moments[n+1][0].At()) {
				n++
			}
			switch {
			case before != nil && s.BytesAcked >= before.BytesAcked && s.DataSegsOut >= before.DataSegsOut:
				sums[n].Bytes += float64(s.BytesAcked - before.BytesAcked)
				sums[n].Packets += max(0, sentOnce(s)-sentOnce(before))
			case before == nil && c.New || before != nil: // all of it, or since it counts from 0
				sums[n].Bytes += float64(s.BytesAcked)
				sums[n].Packets += max(0, sentOnce(s))
			}
			before = s
		}
	}
	rates := make([]SentRate, 0, len(moments)-1)
	for n := 1; n < len(moments); n++ {
		at := moments[n][0].At()
		if seconds := at.Sub(moments[n-1][0].At()).Seconds(); seconds > 0 {
			rates = append(rates, SentRate{At: at, Bytes: sums[n].Bytes / seconds, Packets: sums[n].Packets / seconds})
		}
	}
	return rates
}

// sentOnce is how many segments with data a connection sent, each counted once.
func sentOnce(s *recording.TCPSample) float64 {
	return float64(s.DataSegsOut) - float64(s.TotalRetrans)
}
