package oncpu

import (
	"os"
	"runtime"

	"rtrail/internal/probe/stack"
)

const (
	// around is how many bytes before and after an address are looked at: a loop that
	// waits is shorter.
	around = 32
	// maxLooked bounds the addresses whose code is read for one reading.
	maxLooked = 2048
)

// spinning says of processes at which of some innermost addresses stands a loop that
// only waits. Code of processes that have ended is not known.
func (s *Source) spinning(asked map[stack.Process][]uint64) map[stack.Process]map[uint64]bool {
	found := map[stack.Process]map[uint64]bool{}
	looked := 0
	for p, addresses := range asked {
		for _, a := range addresses {
			if looked++; looked > maxLooked || a < around {
				break
			}
			code := s.memory.Read(p.PID, a-around, 2*around)
			if len(code) <= around { // the page before is not in memory
				from := a &^ uint64(os.Getpagesize()-1)
				code = s.memory.Read(p.PID, from, int(a+around-from))
			}
			if !spins(code, runtime.GOARCH) {
				continue
			}
			if found[p] == nil {
				found[p] = map[uint64]bool{}
			}
			found[p][a] = true
		}
	}
	return found
}

// spins says whether code has an instruction that is there for loops that wait, or a
// loop that exchanges a word until it got the lock.
func spins(code []byte, arch string) bool {
	switch arch {
	case "amd64":
		return spinsX86(code)
	case "arm64":
		for i := 0; i+4 <= len(code); i += 4 {
			switch uint32(code[i]) | uint32(code[i+1])<<8 | uint32(code[i+2])<<16 | uint32(code[i+3])<<24 {
			case 0xd503203f, 0xd503205f, 0xd5033fdf: // yield, wfe, isb
				return true
			}
		}
	}
	return false
}

func spinsX86(code []byte) bool {
	for i := 0; i+1 < len(code); i++ {
		if code[i] == 0xf3 && code[i+1] == 0x90 { // pause
			return true
		}
		// test al,al or eax,eax, and back if it is not 0, behind an exchange with memory
		if i >= 2 && i+3 < len(code) && (code[i] == 0x84 || code[i] == 0x85) && code[i+1] == 0xc0 && code[i+2] == 0x75 && code[i+3] >= 0xe0 {
			for j := max(0, i-8); j+1 < i; j++ {
				if (code[j] == 0x86 || code[j] == 0x87) && code[j+1] < 0xc0 {
					return true
				}
			}
		}
	}
	return false
}
