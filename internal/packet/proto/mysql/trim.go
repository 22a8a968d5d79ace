package mysql

import (
	"golang.org/x/net/bpf"

	"rtrail/internal/packet/flow"
)

// trim finds packets that hold a whole result, from the number of columns to the
// packet that ends it. What its rows tell is how many there are. The number of the
// last packet is the note: with the size of the first rows it gives that of all
// (endOfResult).
func trim() flow.Trim {
	const (
		columns = 1<<24 | 1 // a packet of one byte, number 1: how many columns there are
		defined = 2<<24 | 1 // one of two: MariaDB adds whether the definitions follow
		eof     = 5 << 24   // a packet of five bytes, whatever its number
		ok      = 7 << 24   // the same of a server that sends OK instead of EOF
		more    = 0x08      // SERVER_MORE_RESULTS_EXISTS
		header  = 0         // of the scratch memory: the header of the last packet
	)
	last := func(size uint32) flow.Trim {
		return append(fromEnd(size), bpf.StoreScratch{Src: bpf.RegA, N: header}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffffff00})
	}
	okay := last(okSize)
	t := flow.Trim{
		bpf.LoadIndirect{Off: flow.TrimTCP, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: columns, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: defined, SkipTrue: flow.NoTrim},
	}
	t = append(t, last(eofSize)...)
	t = append(t, bpf.JumpIf{Cond: bpf.JumpEqual, Val: eof, SkipTrue: uint8(len(okay)) + 1})
	t = append(t, okay...)
	return append(t,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: ok, SkipTrue: flow.NoTrim},
		bpf.LoadIndirect{Off: 4, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: packetEOF, SkipTrue: flow.NoTrim},
		// Two bytes of warnings, or of rows and identifiers, stand before the status.
		bpf.LoadIndirect{Off: 7, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: more, SkipTrue: flow.NoTrim},
		bpf.LoadScratch{Dst: bpf.RegA, N: header})
}

// fromEnd loads the four bytes that begin n bytes before the end of the packet,
// and leaves in X where that is.
func fromEnd(n uint32) flow.Trim {
	return flow.Trim{
		bpf.LoadExtension{Num: bpf.ExtLen},
		bpf.ALUOpConstant{Op: bpf.ALUOpSub, Val: n},
		bpf.TAX{},
		bpf.LoadIndirect{Size: 4},
	}
}
