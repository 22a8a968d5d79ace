package flow

import "golang.org/x/net/bpf"

// Rest is what a live capture notes for a decoder about bytes that it left out
// because the decoder can do without them (Trim); 0: nothing is known of them.
type Rest uint16

// Noted is the Rest that carries a note.
func Noted(note uint8) Rest { return Rest(note) + 1 }

// Note is what the Trim of the decoder noted; ok is false if it noted nothing.
func (r Rest) Note() (note uint8, ok bool) { return uint8(r - 1), r != 0 }

// Trim is the piece of a packet filter by which a decoder tells the kernel which
// packets it needs the beginning of only: copying the rest of them would cost the
// host more than all else that is done with them. It is asked about frames of
// Ethernet, IPv4 without options and TCP that are long enough (minTrimmed). TCP
// begins at TrimTCP, its payload X bytes later. A jump with a SkipTrue of NoTrim
// says that the whole packet is needed; who reaches the end of the piece needs the
// beginning, and leaves a note in the lowest byte of A, which the decoder finds in
// Chunk.Rest.
type Trim []bpf.Instruction

const (
	// TrimTCP is where the TCP header begins.
	TrimTCP = 14 + 20
	// NoTrim is how far to jump where the whole packet is needed.
	NoTrim = 0xff

	// minTrimmed is the length of a frame from which trimming is worthwhile.
	minTrimmed = 4 << 10
	// trimmedTo is how much of it is kept.
	trimmedTo = 2 << 10
)

// Filter is the piece with its preparation and its verdict. It returns for
// packets that are trimmed and falls through for others. The kernel passes on how
// many bytes it copied, and nothing else: the note is added to them (Trimmed).
func (t Trim) Filter() []bpf.Instruction {
	p := []bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtLen},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: minTrimmed, SkipTrue: NoTrim},
		bpf.LoadAbsolute{Off: TrimTCP + 12, Size: 1}, // the length of the TCP header, in the upper half
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 2},
		bpf.TAX{},
	}
	p = append(p, t...)
	p = append(p,
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xff},
		bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: trimmedTo},
		bpf.RetA{})
	for i := range p {
		if j, ok := p[i].(bpf.JumpIf); ok && j.SkipTrue == NoTrim {
			j.SkipTrue = uint8(len(p) - i - 1)
			p[i] = j
		}
	}
	return p
}

// Trimmed is how much of a packet of which a Filter had the kernel copy n bytes is
// its beginning, and what was noted about the rest.
func Trimmed(n uint32) (length uint32, rest Rest) {
	if n < trimmedTo || n > trimmedTo+0xff {
		return n, 0
	}
	return trimmedTo, Noted(uint8(n - trimmedTo))
}
