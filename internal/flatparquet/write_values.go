package flatparquet

import (
	"encoding/binary"
	"math/bits"
)

// appendPlain writes a value as it is.
func appendPlain(b []byte, t Type, v int64, texts []string) []byte {
	switch t {
	case ByteArray:
		b = binary.LittleEndian.AppendUint32(b, uint32(len(texts[v])))
		return append(b, texts[v]...)
	case Int32:
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	default:
		return binary.LittleEndian.AppendUint64(b, uint64(v))
	}
}

// appendFixed writes values of 8 bytes one after the other.
func appendFixed(b []byte, all []Run) []byte {
	for _, r := range all {
		for range r.Rows {
			b = binary.LittleEndian.AppendUint64(b, uint64(r.Value))
		}
	}
	return b
}

// appendBools writes a bit a row.
func appendBools(b []byte, all []Run) []byte {
	p := packer{out: b}
	for _, r := range all {
		for range r.Rows {
			p.put(uint64(r.Value), 1)
		}
	}
	return p.end()
}

// appendRuns writes numbers of some bits: as runs from eight equal ones on, else
// packed by eights.
func appendRuns(b []byte, all []Run, width uint) []byte {
	var pending []uint64
	flush := func() {
		if len(pending) == 0 {
			return
		}
		groups := (len(pending) + 7) / 8
		p := packer{out: binary.AppendUvarint(b, uint64(groups)<<1|1)}
		for _, v := range pending {
			p.put(v, width)
		}
		for range groups*8 - len(pending) {
			p.put(0, width)
		}
		b = p.end()
		pending = pending[:0]
	}
	for _, r := range all {
		n := r.Rows
		if open := len(pending) % 8; open > 0 || n < 8 {
			fill := min(n, 8-open)
			for range fill {
				pending = append(pending, uint64(r.Value))
			}
			n -= fill
		}
		if n < 8 {
			for range n {
				pending = append(pending, uint64(r.Value))
			}
			continue
		}
		flush()
		b = binary.AppendUvarint(b, uint64(n)<<1)
		for i := range (width + 7) / 8 {
			b = append(b, byte(r.Value>>(8*i)))
		}
	}
	flush()
	return b
}

// Differences are written in blocks, each part of which has a width of its own.
const (
	deltaBlock = 128
	deltaParts = 4
	deltaPart  = deltaBlock / deltaParts
)

// appendDeltas writes the differences from row to row.
func appendDeltas(b []byte, all []Run, rows int, narrow bool) []byte {
	b = binary.AppendUvarint(b, deltaBlock)
	b = binary.AppendUvarint(b, deltaParts)
	b = binary.AppendUvarint(b, uint64(rows))
	before := all[0].Value
	if narrow {
		before = int64(int32(before))
	}
	b = binary.AppendVarint(b, before)
	block := make([]int64, 0, deltaBlock)
	put := func(d int64) {
		if block = append(block, d); len(block) == deltaBlock {
			b = appendBlock(b, block, narrow)
			block = block[:0]
		}
	}
	for i, r := range all {
		n := r.Rows
		if i == 0 {
			n--
		} else if n > 0 {
			d := r.Value - before
			if narrow {
				d = int64(int32(d)) // wraps around, as the format wants
			}
			put(d)
			before = r.Value
			n--
		}
		for ; n > 0; n-- {
			put(0)
		}
	}
	if len(block) > 0 {
		b = appendBlock(b, block, narrow)
	}
	return b
}

func appendBlock(b []byte, block []int64, narrow bool) []byte {
	least := block[0]
	for _, d := range block {
		least = min(least, d)
	}
	b = binary.AppendVarint(b, least)
	above := func(d int64) uint64 {
		if narrow {
			return uint64(uint32(d - least))
		}
		return uint64(d - least)
	}
	widths := len(b)
	b = append(b, make([]byte, deltaParts)...)
	for i := range deltaParts {
		first := min(i*deltaPart, len(block))
		part := block[first:min(first+deltaPart, len(block))]
		any := uint64(0)
		for _, d := range part {
			any |= above(d)
		}
		width := uint(bits.Len64(any))
		if width == 0 {
			continue
		}
		b[widths+i] = byte(width)
		p := packer{out: b}
		for _, d := range part {
			p.put(above(d), width)
		}
		for range deltaPart - len(part) {
			p.put(0, width)
		}
		b = p.end()
	}
	return b
}

// packer writes numbers of some bits, the lowest bit of a byte first.
type packer struct {
	out  []byte
	bits uint64
	n    uint // bits that are not written
}

func (p *packer) put(v uint64, width uint) {
	p.bits |= v << p.n
	if p.n+width < 64 {
		p.n += width
		return
	}
	p.out = binary.LittleEndian.AppendUint64(p.out, p.bits)
	p.bits = v >> (64 - p.n)
	p.n = p.n + width - 64
}

// end fills the last byte.
func (p *packer) end() []byte {
	for ; p.n > 0; p.n -= min(p.n, 8) {
		p.out = append(p.out, byte(p.bits))
		p.bits >>= 8
	}
	return p.out
}
