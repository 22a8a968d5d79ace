// Package cache is the source of what processes do to the page cache: pages that they ask
// for, that come from disks, that they write to and that they remove.
package cache

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build cache ../event/cache

//go:embed cache.o
var object []byte

// maxSums is that of bpf/cache.c.
const maxSums = 4096

// Source is one run's. It is not for concurrent use.
type Source struct {
	set     *event.Set
	sums    *event.Sums[key, sum]
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
}

// New makes the source.
func New() *Source { return &Source{} }

// Name is the word users see.
func (s *Source) Name() string { return "cache" }

// Help says what it reads.
func (s *Source) Help() string {
	return "pages of the page cache that processes ask for, add, write to and remove: mm_filemap_add_to_page_cache, mm_filemap_delete_from_page_cache, mm_filemap_get_pages, mm_filemap_fault, mm_filemap_map_pages, writeback_dirty_folio"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.PageCache} }

// Object is bpf/cache.c.
func (s *Source) Object() event.Object {
	hook := func(tracepoint, arguments, program, without string) event.Hook {
		return event.Hook{Tracepoint: tracepoint, Programs: []event.Variant{{Arguments: arguments, Program: program}}, Without: without}
	}
	return event.Object{ELF: object, Paused: event.Stateless, Hooks: []event.Hook{
		hook("mm_filemap_add_to_page_cache", "p", "added", ""),
		hook("mm_filemap_delete_from_page_cache", "p", "removed", ""),
		hook("mm_filemap_get_pages", "pii", "asked", "pages that reads find in the page cache"),
		hook("mm_filemap_fault", "pi", "faulted", "pages that faults ask the page cache for"),
		hook("mm_filemap_map_pages", "pii", "mapped", "pages that faults find in the page cache"),
		hook("writeback_dirty_folio", "pp", "dirtied", "pages that are written to"),
	}}
}

// Open finds what is summed up.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set = set
	s.clock, err = event.ReadClock()
	return errors.Join(err, set.Set("page_shift", uint32(bits.TrailingZeros(uint(os.Getpagesize())))))
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "pages of the page cache", fmt.Sprintf("there were more than %d of different processes and devices", maxSums))
}

// key is struct key of bpf/cache.c.
type key struct{ PID, Device uint32 }

// sum is struct sum of bpf/cache.c.
type sum struct {
	Started                                               uint64
	Process                                               [16]byte
	Read, Faulted, Added, Waited, Fresh, Dirtied, Removed uint64
}

// maxRows is how many rows one reading gives. What has fewer pages is summed up in one.
const maxRows = 1000

// rows makes rows of sums, those with most pages first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.CacheSum {
	rows := make([]recording.CacheSum, 0, len(keys))
	for i, k := range keys {
		v := &sums[i]
		rows = append(rows, recording.CacheSum{
			At: now, PID: int32(k.PID), Started: s.clock.Started(time.Duration(v.Started)), Process: event.Text(&v.Process),
			Device: event.FileID{Device: k.Device}.DeviceNumber(), Span: of.Span, Traced: of.Part,
			Read: int64(v.Read), Faulted: int64(v.Faulted), Added: int64(v.Added), Waited: int64(v.Waited), Fresh: int64(v.Fresh),
			Dirtied: int64(v.Dirtied), Removed: int64(v.Removed),
		})
	}
	slices.SortFunc(rows, func(a, b recording.CacheSum) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Device, b.Device))
	})
	if len(rows) <= maxRows {
		return rows
	}
	others := recording.CacheSum{At: now, Process: "others", Span: of.Span, Traced: of.Part}
	for _, r := range rows[maxRows:] {
		others.Read += r.Read
		others.Faulted += r.Faulted
		others.Added += r.Added
		others.Waited += r.Waited
		others.Fresh += r.Fresh
		others.Dirtied += r.Dirtied
		others.Removed += r.Removed
	}
	return append(rows[:maxRows], others)
}

func weight(r *recording.CacheSum) int64 { return r.Read + r.Faulted + r.Added + r.Dirtied + r.Removed }
