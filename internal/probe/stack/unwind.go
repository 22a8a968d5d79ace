package stack

import (
	"encoding/binary"

	"rtrail/internal/probe/procmem"
)

// deepest is how many frames are followed.
const deepest = 200

// unwind follows a stack from its innermost frame and names the functions.
// whole says that it came to an end by itself, not because something was
// missing.
func (s *space) unwind(regs registers, read memory) (frames []string, whole bool) {
	for len(frames) < deepest {
		if !regs.known[regPC] || !regs.known[regSP] {
			return frames, false
		}
		pc := regs.v[regPC]
		// A return address may be the first of the next function: that of a call
		// which does not return.
		at := pc
		if len(frames) > 0 {
			at--
		}
		m := s.find(at)
		if m == nil {
			return frames, false
		}
		frames = append(frames, s.name(at))
		next, ok, ended := s.step(m, at, &regs, read)
		if !ok {
			return frames, ended
		}
		if next.v[regSP] <= regs.v[regSP] {
			return frames, false
		}
		regs = next
	}
	return frames, false
}

// step goes to the caller: by call frame information, else by the frame
// pointer.
func (s *space) step(m *mapping, pc uint64, regs *registers, read memory) (next registers, ok, ended bool) {
	if m.image != nil {
		if at, mapped := m.image.address(pc - m.start + m.offset); mapped {
			if f := m.image.cfi.find(at); f != nil {
				w, ran := f.run(at)
				if !ran {
					return next, false, false
				}
				if w.regs[regPC].kind == undefined {
					return next, false, true // the outermost frame
				}
				if w.cfaExpr == nil && w.cfaReg == regBP && !regs.known[regBP] {
					bias := pc - at
					if slot, found := s.callOf(f.start+bias, regs.v[regSP], read); found {
						regs.set(regBP, slot+8-uint64(w.cfaOff))
					}
				}
				next, ok = w.caller(regs, f.cie.ra, read)
				return next, ok, false
			}
		}
	}
	return byFramePointer(regs, read)
}

// byFramePointer goes to the caller by the frame pointer; ended says that there is none.
func byFramePointer(regs *registers, read memory) (next registers, ok, ended bool) {
	if !regs.known[regBP] {
		return next, false, false
	}
	bp := regs.v[regBP]
	caller, ok1 := read(bp)
	pc, ok2 := read(bp + 8)
	if !ok1 || !ok2 {
		return next, false, bp == 0
	}
	if pc == 0 {
		return next, false, true
	}
	next.set(regBP, caller)
	next.set(regPC, pc)
	next.set(regSP, bp+16)
	return next, true, false
}

// searched is how far above the stack pointer a return address is looked for:
// the frame of a function that keeps a few buffers.
const searched = 2 << 10

// callOf finds where on the stack the return address of a function is when its
// frame pointer is not known: the first one behind an instruction that calls
// this very function. Of functions called by pointer or through a table there
// is none.
func (s *space) callOf(function, sp uint64, read memory) (slot uint64, found bool) {
	const call, length = 0xe8, 5 // call rel32
	for slot = sp; slot < sp+searched; slot += 8 {
		back, ok := read(slot)
		if !ok {
			return 0, false
		}
		if s.lookup(back-1) == nil {
			continue
		}
		var code [length]byte
		if procmem.Read(s.pid, back-length, code[:]) == length && code[0] == call &&
			back+uint64(int64(int32(binary.LittleEndian.Uint32(code[1:])))) == function {
			return slot, true
		}
	}
	return 0, false
}
