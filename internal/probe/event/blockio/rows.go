package blockio

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// Shape of bpf/blockio.c, which keeps 4,096 sums.
const steps = 26

// key is struct key of bpf/blockio.c.
type key struct{ Major, Minor, PID, Operation uint32 }

// sum is struct sum of bpf/blockio.c.
type sum struct {
	Requests, Bytes, QueueNS, DeviceNS, QueueLongest, DeviceLongest, Started uint64
	Process                                                                  [16]byte
	Queue, Device                                                            [steps]uint32
}

// Types of the kernel with the operations of requests; the second one before Linux 6.0.
const (
	operations      = "req_op"
	earlyOperations = "req_opf"
)

// operation is the kernel's word: read, write, discard, write zeroes and others.
func (s *Source) operation(value uint32) string {
	word := cmp.Or(s.set.Word(operations, uint64(value)), s.set.Word(earlyOperations, uint64(value)))
	if word == "" {
		return fmt.Sprintf("operation %d", value)
	}
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(word, "REQ_OP_"), "_", " "))
}

// rows makes rows of sums, those with most time first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.BlockSum {
	rows := make([]recording.BlockSum, 0, len(keys))
	for i, k := range keys {
		v := &sums[i]
		rows = append(rows, recording.BlockSum{
			At: now, Device: name(k.Major, k.Minor), Operation: s.operation(k.Operation),
			PID: int32(k.PID), Started: s.clock.Started(time.Duration(v.Started)), Process: event.Text(&v.Process), Span: of.Span, Traced: of.Part,
			Requests: int64(v.Requests), Bytes: int64(v.Bytes),
			Queue: time.Duration(v.QueueNS), QueueLongest: time.Duration(v.QueueLongest), QueueHistogram: event.Histogram(v.Queue[:]),
			Service: time.Duration(v.DeviceNS), ServiceLongest: time.Duration(v.DeviceLongest), Histogram: event.Histogram(v.Device[:]),
		})
	}
	slices.SortFunc(rows, func(a, b recording.BlockSum) int {
		return cmp.Or(cmp.Compare(b.Queue+b.Service, a.Queue+a.Service), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Device, b.Device))
	})
	return rows
}

// name is what the kernel calls a device.
func name(major, minor uint32) string { return DeviceName(fmt.Sprintf("%d:%d", major, minor)) }

// DeviceName is what the kernel of this host calls the block device of a number, "8:1"; the
// number if there is none, as of filesystems without a device.
func DeviceName(number string) string {
	to, err := os.Readlink(filepath.Join("/sys/dev/block", filepath.Base(number)))
	if err != nil {
		return number
	}
	return filepath.Base(to)
}
