package event

import (
	"bytes"
	"fmt"
)

// Symbols names functions of the kernel, by a program "name" with the variables
// "addresses" and "names", as bpf/offcpu.c has it: asking the kernel for the few that
// are needed costs a hundredth of reading /proc/kallsyms.
type Symbols struct {
	set   *Set
	known map[uint64]string
}

// maxSymbols bounds the names that are remembered.
const maxSymbols = 16384

// NewSymbols asks by a program of a set.
func NewSymbols(s *Set) *Symbols { return &Symbols{set: s, known: map[uint64]string{}} }

// Shape of the variables of the program.
const (
	addressesAtOnce = 64
	nameSize        = 64
)

// Learn finds the names of addresses of code that calls, as stacks have them.
func (s *Symbols) Learn(addresses []uint64) error {
	if len(s.known) > maxSymbols {
		clear(s.known)
	}
	var fresh []uint64
	for _, a := range addresses {
		if _, ok := s.known[a]; !ok && a != 0 {
			s.known[a] = ""
			fresh = append(fresh, a)
		}
	}
	for len(fresh) > 0 {
		var ask [addressesAtOnce]uint64
		n := copy(ask[:], fresh)
		if err := s.set.Set("addresses", ask); err != nil {
			return err
		}
		if err := s.set.Run("name"); err != nil {
			return err
		}
		var names [addressesAtOnce][nameSize]byte
		if err := s.set.Get("names", &names); err != nil {
			return err
		}
		for i, a := range fresh[:n] {
			s.known[a] = symbol(names[i][:])
		}
		fresh = fresh[n:]
	}
	return nil
}

// Name is the name of the function an address lies in.
func (s *Symbols) Name(address uint64) string {
	if name := s.known[address]; name != "" {
		return name
	}
	return fmt.Sprintf("%#x", address)
}

// symbol takes the name out of "name+0x10/0x20 [module]".
func symbol(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	b, _, _ = bytes.Cut(b, []byte{'+'})
	if bytes.HasPrefix(b, []byte("0x")) {
		return ""
	}
	return string(b)
}
