package live

import (
	"golang.org/x/net/bpf"

	"rtrail/internal/packet/flow"
)

// Copying the rows of results, and stepping over them, costs the host more than
// all else that is done with the packets of a MySQL server, and what they tell is
// how many there are. So the filter finds the packets that are a whole result,
// from the number of columns to the packet that ends it, and has the kernel copy
// their beginning only. How the last packet is numbered, which with the size of
// the first rows gives the number of all of them, is told by the number of bytes
// copied.
const (
	// trimFrom is the length of a frame from which this is worth the while.
	trimFrom = 4 << 10
	// trimTo is how much of it is kept: the definitions of 30 columns.
	trimTo = 2 << 10
)

// trim is the program for a frame of IPv4 without options and TCP. It returns if
// the payload is a whole result of MySQL; else it falls through.
func trim() program {
	const (
		tcp     = 14 + 20
		columns = 1<<24 | 1 // a packet of one byte, number 1: how many columns there are
		defined = 2<<24 | 1 // one of two: MariaDB adds whether the definitions follow
		eof     = 5 << 24   // a packet of five bytes, whatever its number
		ok      = 7 << 24   // the same of a server that sends OK instead of EOF
		more    = 0x08      // SERVER_MORE_RESULTS_EXISTS
		first   = 0         // of the scratch memory: the header of the last packet
	)
	var p program
	// Jumps to the end are set when its place is known.
	fail := func(cond bpf.JumpTest, val uint32) { p = append(p, bpf.JumpIf{Cond: cond, Val: val, SkipTrue: out}) }
	p = append(p, bpf.LoadExtension{Num: bpf.ExtLen})
	fail(bpf.JumpLessThan, trimFrom)
	p = append(p,
		bpf.LoadAbsolute{Off: tcp + 12, Size: 1}, // the length of the TCP header, in the upper half
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 2},
		bpf.TAX{},
		bpf.LoadIndirect{Off: tcp, Size: 4})
	p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: columns, SkipTrue: 1})
	fail(bpf.JumpNotEqual, defined)
	// The last packet has nine bytes with its header, or eleven.
	p = append(p, fromEnd(9)...)
	p = append(p, bpf.StoreScratch{Src: bpf.RegA, N: first}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffffff00})
	eleven := append(fromEnd(11), bpf.StoreScratch{Src: bpf.RegA, N: first}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffffff00})
	p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: eof, SkipTrue: uint8(len(eleven)) + 1})
	p = append(p, eleven...)
	fail(bpf.JumpNotEqual, ok)
	p = append(p, bpf.LoadIndirect{Off: 4, Size: 1})
	fail(bpf.JumpNotEqual, 0xfe)
	// Two bytes of warnings, or of rows and identifiers, stand before the status.
	p = append(p, bpf.LoadIndirect{Off: 7, Size: 1})
	fail(bpf.JumpBitsSet, more)
	p = append(p,
		bpf.LoadScratch{Dst: bpf.RegA, N: first},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xff},
		bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: trimTo},
		bpf.RetA{})
	for i := range p {
		if j, isJump := p[i].(bpf.JumpIf); isJump && j.SkipTrue == out {
			j.SkipTrue = uint8(len(p) - i - 1)
			p[i] = j
		}
	}
	return p
}

// out stands for a jump behind the program.
const out = 0xff

// fromEnd loads the four bytes that begin n bytes before the end, and leaves in
// X where that is.
func fromEnd(n uint32) program {
	return program{
		bpf.LoadExtension{Num: bpf.ExtLen},
		bpf.ALUOpConstant{Op: bpf.ALUOpSub, Val: n},
		bpf.TAX{},
		bpf.LoadIndirect{Size: 4},
	}
}

// trimmed is how much of a packet of which the kernel copied n bytes is its
// beginning, and what the filter said of the rest.
func trimmed(n uint32) (length uint32, rest flow.Rest) {
	if n < trimTo || n > trimTo+0xff {
		return n, 0
	}
	return trimTo, flow.ResultEnds(uint8(n - trimTo))
}
