package stack

import "encoding/binary"

// Registers of x86-64 by their DWARF numbers (System V ABI, figure 3.36).
const (
	regBP   = 6
	regSP   = 7
	regPC   = 16 // return address
	numRegs = 17
)

// registers of a frame. Those that were not saved on the way are not known.
type registers struct {
	v     [numRegs]uint64
	known [numRegs]bool
}

func (r *registers) set(n int, v uint64) { r.v[n], r.known[n] = v, true }

// memory reads eight bytes of the thread's stack.
type memory func(address uint64) (uint64, bool)

type ruleKind uint8

const (
	same ruleKind = iota
	undefined
	atOffset // saved at CFA + n
	valueOffset
	inRegister
	byExpression
	valueExpression
)

type regRule struct {
	kind ruleKind
	n    int64
	expr []byte
}

// row is how to find the caller from one address.
type row struct {
	cfaReg  uint64
	cfaOff  int64
	cfaExpr []byte
	regs    [numRegs]regRule
}

// maxRemembered bounds the stack of remembered rows: real programs have one.
const maxRemembered = 16

// run executes the programs of a function up to an address.
func (f *fde) run(pc uint64) (row, bool) {
	var start row
	if !f.cie.execute(f.cie.program, &start, nil, f.start, pc) {
		return row{}, false
	}
	r := start
	ok := f.cie.execute(f.program, &r, &start, f.start, pc)
	return r, ok
}

func (c *cie) execute(program []byte, w, start *row, loc, pc uint64) bool {
	r := &reader{b: program}
	var stack []row
	setRule := func(reg uint64, rule regRule) {
		if reg < numRegs {
			w.regs[reg] = rule
		}
	}
	restore := func(reg uint64) {
		if reg < numRegs && start != nil {
			w.regs[reg] = start.regs[reg]
		}
	}
	for len(r.b) > 0 && !r.bad {
		op := r.byte()
		low := uint64(op & 0x3f)
		switch op & 0xc0 {
		case 0x40: // advance_loc
			loc += low * c.codeAlign
		case 0x80: // offset
			setRule(low, regRule{kind: atOffset, n: int64(r.uleb()) * c.dataAlign})
		case 0xc0: // restore
			restore(low)
		default:
			switch op {
			case 0x00: // nop
			case 0x01: // set_loc
				loc = r.pointer(c.pointers)
			case 0x02:
				loc += r.fixed(1) * c.codeAlign
			case 0x03:
				loc += r.fixed(2) * c.codeAlign
			case 0x04:
				loc += r.fixed(4) * c.codeAlign
			case 0x05: // offset_extended
				reg := r.uleb()
				setRule(reg, regRule{kind: atOffset, n: int64(r.uleb()) * c.dataAlign})
			case 0x06: // restore_extended
				restore(r.uleb())
			case 0x07:
				setRule(r.uleb(), regRule{kind: undefined})
			case 0x08:
				setRule(r.uleb(), regRule{kind: same})
			case 0x09: // register
				reg := r.uleb()
				setRule(reg, regRule{kind: inRegister, n: int64(r.uleb())})
			case 0x0a: // remember_state
				if len(stack) == maxRemembered {
					return false
				}
				stack = append(stack, *w)
			case 0x0b: // restore_state
				if len(stack) == 0 {
					return false
				}
				*w = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
			case 0x0c: // def_cfa
				w.cfaReg, w.cfaOff, w.cfaExpr = r.uleb(), 0, nil
				w.cfaOff = int64(r.uleb())
			case 0x0d: // def_cfa_register
				w.cfaReg, w.cfaExpr = r.uleb(), nil
			case 0x0e: // def_cfa_offset
				w.cfaOff = int64(r.uleb())
			case 0x0f: // def_cfa_expression
				w.cfaExpr = r.take(r.uleb())
			case 0x10: // expression
				reg := r.uleb()
				setRule(reg, regRule{kind: byExpression, expr: r.take(r.uleb())})
			case 0x11: // offset_extended_sf
				reg := r.uleb()
				setRule(reg, regRule{kind: atOffset, n: r.sleb() * c.dataAlign})
			case 0x12: // def_cfa_sf
				w.cfaReg, w.cfaExpr = r.uleb(), nil
				w.cfaOff = r.sleb() * c.dataAlign
			case 0x13: // def_cfa_offset_sf
				w.cfaOff = r.sleb() * c.dataAlign
			case 0x14: // val_offset
				reg := r.uleb()
				setRule(reg, regRule{kind: valueOffset, n: int64(r.uleb()) * c.dataAlign})
			case 0x15: // val_offset_sf
				reg := r.uleb()
				setRule(reg, regRule{kind: valueOffset, n: r.sleb() * c.dataAlign})
			case 0x16: // val_expression
				reg := r.uleb()
				setRule(reg, regRule{kind: valueExpression, expr: r.take(r.uleb())})
			case 0x2e: // GNU_args_size
				r.uleb()
			default:
				return false
			}
		}
		if loc > pc {
			break
		}
	}
	return !r.bad
}

// caller computes the registers of the caller. ok is false where the stack
// ends or cannot be followed.
func (w *row) caller(in *registers, ra uint64, read memory) (out registers, ok bool) {
	var cfa uint64
	switch {
	case w.cfaExpr != nil:
		if cfa, ok = evaluate(w.cfaExpr, in, read, nil); !ok {
			return out, false
		}
	case w.cfaReg < numRegs && in.known[w.cfaReg]:
		cfa = in.v[w.cfaReg] + uint64(w.cfaOff)
	default:
		return out, false
	}
	for n, rule := range w.regs {
		switch rule.kind {
		case same:
			if n != regPC && n != regSP {
				out.v[n], out.known[n] = in.v[n], in.known[n]
			}
		case atOffset:
			if v, ok := read(cfa + uint64(rule.n)); ok {
				out.set(n, v)
			}
		case valueOffset:
			out.set(n, cfa+uint64(rule.n))
		case inRegister:
			if rule.n >= 0 && rule.n < numRegs {
				out.v[n], out.known[n] = in.v[rule.n], in.known[rule.n]
			}
		case byExpression:
			if at, ok := evaluate(rule.expr, in, read, &cfa); ok {
				if v, ok := read(at); ok {
					out.set(n, v)
				}
			}
		case valueExpression:
			if v, ok := evaluate(rule.expr, in, read, &cfa); ok {
				out.set(n, v)
			}
		}
	}
	if !out.known[regSP] {
		out.set(regSP, cfa)
	}
	if ra != regPC || !out.known[regPC] || out.v[regPC] == 0 {
		return out, false
	}
	return out, true
}

// evaluate runs a DWARF expression: the operations that compilers and the C
// library use for frames.
func evaluate(expr []byte, in *registers, read memory, first *uint64) (uint64, bool) {
	r := &reader{b: expr}
	var s []uint64
	if first != nil {
		s = append(s, *first)
	}
	pop := func() uint64 {
		if len(s) == 0 {
			r.bad = true
			return 0
		}
		v := s[len(s)-1]
		s = s[:len(s)-1]
		return v
	}
	for len(r.b) > 0 && !r.bad && len(s) < 64 {
		switch op := r.byte(); {
		case op >= 0x30 && op <= 0x4f: // lit
			s = append(s, uint64(op-0x30))
		case op >= 0x70 && op <= 0x8f: // breg
			n, off := op-0x70, r.sleb()
			if n >= numRegs || !in.known[n] {
				return 0, false
			}
			s = append(s, in.v[n]+uint64(off))
		case op == 0x06: // deref
			v, ok := read(pop())
			if !ok {
				return 0, false
			}
			s = append(s, v)
		case op == 0x08:
			s = append(s, r.fixed(1))
		case op == 0x09:
			s = append(s, uint64(int64(int8(r.fixed(1)))))
		case op == 0x0a:
			s = append(s, r.fixed(2))
		case op == 0x0b:
			s = append(s, uint64(int64(int16(r.fixed(2)))))
		case op == 0x1a: // and
			b, a := pop(), pop()
			s = append(s, a&b)
		case op == 0x1c: // minus
			b, a := pop(), pop()
			s = append(s, a-b)
		case op == 0x22: // plus
			b, a := pop(), pop()
			s = append(s, a+b)
		case op == 0x23: // plus_uconst
			s = append(s, pop()+r.uleb())
		case op == 0x24: // shl
			b, a := pop(), pop()
			s = append(s, a<<(b&63))
		case op == 0x2a: // ge
			b, a := pop(), pop()
			if int64(a) >= int64(b) {
				s = append(s, 1)
			} else {
				s = append(s, 0)
			}
		default:
			return 0, false
		}
	}
	v := pop()
	return v, !r.bad
}

// stackMemory reads from a copy of a stack that begins at an address.
func stackMemory(copied []byte, begins uint64) memory {
	return func(at uint64) (uint64, bool) {
		off := at - begins
		if at < begins || off > uint64(len(copied)) || uint64(len(copied))-off < 8 {
			return 0, false
		}
		return binary.LittleEndian.Uint64(copied[off:]), true
	}
}
