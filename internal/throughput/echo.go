package throughput

import (
	"io"
	"math"
	"net"
	"time"
)

// perDouble is how many buckets times have between one and twice as long a one: 2 % each.
const perDouble = 32

// histogram counts times of 1 µs to an hour.
type histogram struct {
	buckets [32 * perDouble]int64
	count   int64
	sum     time.Duration
}

func (h *histogram) take(d time.Duration) {
	i := int(perDouble * math.Log2(float64(max(d.Microseconds(), 1))))
	h.buckets[min(i, len(h.buckets)-1)]++
	h.count++
	h.sum += d
}

func (h *histogram) add(o *histogram) {
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.count += o.count
	h.sum += o.sum
}

func (h *histogram) percentile(share float64) time.Duration {
	left := int64(share * float64(h.count))
	for i, n := range h.buckets {
		if left -= n; left < 0 {
			return time.Duration(math.Exp2((float64(i)+0.5)/perDouble) * float64(time.Microsecond))
		}
	}
	return 0
}

func (h *histogram) rung(streams int, length time.Duration) Rung {
	if h.count == 0 {
		return Rung{Streams: streams}
	}
	return Rung{Streams: streams, Requests: h.count, PerSecond: float64(h.count) / length.Seconds(), Mean: h.sum / time.Duration(h.count),
		P50: h.percentile(0.5), P99: h.percentile(0.99)}
}

// ask sends requests one after the other and waits for their answers, until the connection ends.
func (h *histogram) ask(c net.Conn, size int) error {
	buffer := make([]byte, size)
	for {
		began := time.Now()
		if _, err := c.Write(buffer); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, buffer); err != nil {
			return err
		}
		h.take(time.Since(began))
	}
}
