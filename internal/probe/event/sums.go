package event

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
)

// Sums are what a program adds up in the hash map "sums", or in "sums_too" while its
// variable "too" is 1: the reader empties one while the program fills the other.
// A key has one value, or one for each CPU.
type Sums[K comparable, V any] struct {
	set    *Set
	too    uint32 // the map that programs fill
	values int    // of a key
	k      []K    // room for one call
	v      []V
}

// OpenSums finds the maps of a set.
func OpenSums[K comparable, V any](s *Set) (*Sums[K, V], error) {
	m := s.Map("sums")
	if m == nil || s.Map("sums_too") == nil {
		return nil, errors.New("open the sums of a BPF object: it has none")
	}
	values := 1
	if m.Type() == ebpf.PerCPUHash {
		cpus, err := ebpf.PossibleCPU()
		if err != nil {
			return nil, fmt.Errorf("count the CPUs that sum up: %w", err)
		}
		values = cpus
	}
	return &Sums[K, V]{set: s, values: values, k: make([]K, batch), v: make([]V, batch*values)}, nil
}

// batch is how many sums are taken with one call.
const batch = 256

// Take gives what was added up since the last time: for each key as many values in
// a row as it has.
func (s *Sums[K, V]) Take() (keys []K, values []V, err error) {
	full := s.set.Map([...]string{"sums", "sums_too"}[s.too])
	if err := s.set.Set("too", 1-s.too); err != nil {
		return nil, nil, err
	}
	s.too = 1 - s.too
	time.Sleep(time.Millisecond) // programs that still use it take a few microseconds
	var cursor ebpf.MapBatchCursor
	for {
		n, err := full.BatchLookupAndDelete(&cursor, s.k, s.v, nil)
		keys, values = append(keys, s.k[:n]...), append(values, s.v[:n*s.values]...)
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return keys, values, nil
		case err != nil:
			return nil, nil, fmt.Errorf("read the sums of BPF programs: %w", err)
		}
	}
}

// All gives what a hash map holds, and leaves it there.
func All[K comparable, V any](s *Set, name string) (keys []K, values []V, err error) {
	m := s.Map(name)
	if m == nil {
		return nil, nil, fmt.Errorf("read the map %s of a BPF object: it has none", name)
	}
	var cursor ebpf.MapBatchCursor
	k, v := make([]K, batch), make([]V, batch)
	for {
		n, err := m.BatchLookup(&cursor, k, v, nil)
		keys, values = append(keys, k[:n]...), append(values, v[:n]...)
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return keys, values, nil
		case err != nil:
			return nil, nil, fmt.Errorf("read the map %s of a BPF object: %w", name, err)
		}
	}
}

// Emptied is which of the two maps was taken last: 0 or 1.
func (s *Sums[K, V]) Emptied() int { return int(1 - s.too) }

// Values is how many values Take gives for a key.
func (s *Sums[K, V]) Values() int { return s.values }
