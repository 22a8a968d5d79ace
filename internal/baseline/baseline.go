// Package baseline is what a host could do when it was measured, kept with the host: verdicts
// say how near to it a device is.
package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/safefile"
)

// Baseline is what a host could do.
type Baseline struct {
	Measured time.Time `json:"measured"`
	Host     string    `json:"host"`
	Kernel   string    `json:"kernel"`
	Busy     float64   `json:"busy"` // share of the CPUs that was busy just before
	Values   []Value   `json:"values"`
}

// Value is one measured number.
type Value struct {
	Kind  Kind            `json:"kind"`
	Thing string          `json:"thing"` // the device, the peer; "": the host
	What  What            `json:"what"`
	Value document.Number `json:"value"` // in the unit that What names
}

// Kind is what can do something.
type Kind string

// What hosts are measured by.
const (
	Disk    Kind = "disk"
	CPU     Kind = "cpu"
	Memory  Kind = "memory"
	Network Kind = "network"
	HTTP    Kind = "http"
)

// What names what was measured, with its unit.
type What string

// What is measured.
const (
	// Of a disk, without the page cache.
	SequentialRead  What = "sequential_read_bytes_per_second"  // 1 MiB, 8 at a time
	SequentialWrite What = "sequential_write_bytes_per_second" // 1 MiB, 8 at a time
	RandomReads     What = "random_reads_per_second"           // 4 KiB, 32 at a time
	RandomWrites    What = "random_writes_per_second"          // 4 KiB, 32 at a time
	SyncMedian      What = "fsync_p50_seconds"                 // after each write of 4 KiB, one at a time
	SyncP99         What = "fsync_p99_seconds"

	// Of the CPUs: SHA-256, by one thread and by as many as there are CPUs.
	HashOne What = "sha256_one_thread_bytes_per_second"
	HashAll What = "sha256_all_cpus_bytes_per_second"

	// Of memory: copies of blocks that no cache holds.
	CopyOne What = "copy_one_thread_bytes_per_second"
	CopyAll What = "copy_all_cpus_bytes_per_second"

	// Between this host and a peer.
	Sent      What = "sent_bytes_per_second"
	Received  What = "received_bytes_per_second"
	Packets   What = "packets_per_second" // of 64 bytes, to the peer
	RoundTrip What = "request_p50_seconds"

	// Of HTTP/1.1 over loopback: small answers, connections that stay open.
	Requests What = "requests_per_second"
)

// Unit is what the numbers are in: seconds, "per second" or "bytes per second".
func (w What) Unit() string {
	switch w {
	case SyncMedian, SyncP99, RoundTrip:
		return "seconds"
	case RandomReads, RandomWrites, Packets, Requests:
		return "per second"
	}
	return "bytes per second"
}

// DefaultPath is where a baseline of the host is kept.
const DefaultPath = "/var/lib/rtrail/baseline.json"

const (
	// mostBytes bounds the file.
	mostBytes = 256 << 10
	// mostValues bounds what it tells.
	mostValues = 1000
	// mostName bounds its names.
	mostName = 256
	// mostValue is more than any host does.
	mostValue = 1e15
)

// Load reads the baseline that root keeps for the host; none: fs.ErrNotExist.
func Load(path string) (*Baseline, error) {
	f, err := safefile.OpenOwned("/", path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := safefile.ReadAll(f, mostBytes)
	if err != nil {
		return nil, err
	}
	b, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline %s: %w", path, err)
	}
	return b, nil
}

// Parse reads a baseline.
func Parse(text []byte) (*Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, err
	}
	if len(b.Values) > mostValues || len(b.Host) > mostName || len(b.Kernel) > mostName {
		return nil, errors.New("it holds more than a baseline does")
	}
	for _, v := range b.Values {
		if x := float64(v.Value); !(x >= 0 && x <= mostValue) || len(v.Kind) > mostName || len(v.Thing) > mostName || len(v.What) > mostName {
			return nil, fmt.Errorf("%.40q of %.40q is %v", v.What, v.Thing, x)
		}
	}
	return &b, nil
}

// Write writes a baseline.
func (b *Baseline) Write(w io.Writer) error { return document.JSON(w, b) }

// Add keeps a number that was measured; none, or one that is no number, is left out.
func (b *Baseline) Add(kind Kind, thing string, what What, value float64) {
	if value > 0 && !math.IsInf(value, 0) {
		b.Values = append(b.Values, Value{kind, thing, what, document.Number(value)})
	}
}
