package files

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

// Bounds of bpf/files.c.
const (
	maxSums   = 6144
	maxNumber = 512

	maxDeletions = 4096 + 512 // between two readings; calls of several CPUs may pass the bound at once
)

// maxRows is how many files of one reading have rows of their own. All others are
// summed up by process.
const maxRows = 1000

// maxDeletedRows is how many more have the files of which nothing is known but that they
// were deleted.
const maxDeletedRows = 500

// Kinds of files of bpf/files.c, by number.
var kinds = [...]string{recording.FileNone, recording.FileRegular, recording.FileDirectory, recording.FileBlock, recording.FileSpecial, recording.FileOthers}

const (
	noFile = 0
	rest   = 5
)

// key is struct key of bpf/files.c.
type key struct {
	File      event.FileID
	PID, Kind uint32
}

// sum is struct sum of bpf/files.c.
type sum struct {
	Started                                uint64
	Process                                [16]byte
	Size                                   uint64
	Reads, ReadBytes, Writes, WrittenBytes uint64
	Small, SmallBytes                      uint64
	DirectRead, DirectWritten              uint64
	Opens, Failed, Made, Deleted           uint64
	ReadCall, WriteCall                    uint32 // number and 1; 0: none
}

// callName is the name of a call by its number and 1.
func callName(n uint32) string {
	if n == 0 {
		return ""
	}
	return thread.SyscallName(int32(n - 1))
}

// rows makes rows of sums, those with most bytes first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.FileSum {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sums[b].weight(), sums[a].weight()), cmp.Compare(keys[a].PID, keys[b].PID), cmp.Compare(keys[a].File.Inode, keys[b].File.Inode))
	})
	var rows []recording.FileSum
	others := map[uint32]*sum{}
	var pids []uint32
	for _, i := range order {
		k, v := keys[i], &sums[i]
		if k.Kind == noFile || (k.Kind != rest && len(rows) < maxRows) {
			rows = append(rows, s.row(k, v, now, of))
			continue
		}
		if sum := others[k.PID]; sum != nil {
			sum.add(v)
			continue
		}
		v.ReadCall, v.WriteCall = 0, 0 // of many files
		others[k.PID] = v
		pids = append(pids, k.PID)
	}
	for _, pid := range pids {
		others[pid].Size = 0
		rows = append(rows, s.row(key{PID: pid, Kind: rest}, others[pid], now, of))
	}
	return rows
}

func (s *Source) row(k key, v *sum, now time.Time, of event.Traced) recording.FileSum {
	path := ""
	if s.paths != nil {
		path = s.paths.Path(k.File)
	}
	return recording.FileSum{
		At: now, PID: int32(k.PID), Started: s.clock.Started(time.Duration(v.Started)), Process: event.Text(&v.Process),
		Kind: kinds[min(int(k.Kind), len(kinds)-1)], Path: path, Device: k.File.DeviceNumber(), Span: of.Span, Traced: of.Part, Size: int64(v.Size),
		Reads: int64(v.Reads), ReadBytes: int64(v.ReadBytes), Writes: int64(v.Writes), WrittenBytes: int64(v.WrittenBytes),
		SmallWrites: int64(v.Small), SmallBytes: int64(v.SmallBytes), DirectRead: int64(v.DirectRead), DirectWritten: int64(v.DirectWritten),
		Opens: int64(v.Opens), FailedOpens: int64(v.Failed), Created: int64(v.Made), Deleted: int64(v.Deleted),
		ReadCall: callName(v.ReadCall), WriteCall: callName(v.WriteCall),
	}
}

// weight is what rows are ordered by: bytes, and for many small calls what these cost
// in bytes, roughly.
func (s *sum) weight() uint64 {
	const perCall = 1024
	return s.ReadBytes + s.WrittenBytes + perCall*(s.Reads+s.Writes+s.Opens)
}

func (s *sum) add(v *sum) {
	s.Reads += v.Reads
	s.ReadBytes += v.ReadBytes
	s.Writes += v.Writes
	s.WrittenBytes += v.WrittenBytes
	s.Small += v.Small
	s.SmallBytes += v.SmallBytes
	s.DirectRead += v.DirectRead
	s.DirectWritten += v.DirectWritten
	s.Opens += v.Opens
	s.Failed += v.Failed
	s.Made += v.Made
	s.Deleted += v.Deleted
}
