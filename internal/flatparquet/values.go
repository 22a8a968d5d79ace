package flatparquet

import (
	"encoding/binary"
	"errors"
)

// Encodings, by their numbers in the format.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
const (
	encodingPlain          = 0
	encodingOldDictionary  = 2
	encodingRuns           = 3
	encodingDelta          = 5
	encodingDictionaryRuns = 8
)

var errValues = errors.New("its values are damaged")

// values gives the values of a page in turn.
type values interface {
	// next fills out, which is no longer than what the page still claims to have.
	next(out []int64) error
	// skip passes over n values, under the same condition.
	skip(n int) error
}

// fixed are numbers of 4 or 8 bytes, one after the other.
type fixed struct {
	b     []byte
	width int
}

func (p *fixed) next(out []int64) error {
	if len(p.b) < p.width*len(out) {
		return errValues
	}
	for i := range out {
		if p.width == 4 {
			out[i] = int64(int32(binary.LittleEndian.Uint32(p.b[4*i:])))
		} else {
			out[i] = int64(binary.LittleEndian.Uint64(p.b[8*i:]))
		}
	}
	p.b = p.b[p.width*len(out):]
	return nil
}

func (p *fixed) skip(n int) error {
	if len(p.b) < p.width*n {
		return errValues
	}
	p.b = p.b[p.width*n:]
	return nil
}

// bools are bits, the lowest one of a byte first.
type bools struct {
	b   []byte
	pos uint64
}

func (p *bools) next(out []int64) error {
	if uint64(len(p.b))*8-p.pos < uint64(len(out)) {
		return errValues
	}
	for i := range out {
		out[i] = int64(bitsAt(p.b, p.pos, 1))
		p.pos++
	}
	return nil
}

func (p *bools) skip(n int) error {
	if uint64(len(p.b))*8-p.pos < uint64(n) {
		return errValues
	}
	p.pos += uint64(n)
	return nil
}

// byteArrays are texts, each with its length before it.
type byteArrays struct {
	b     []byte
	texts *Texts
}

func (p *byteArrays) next(out []int64) error {
	for i := range out {
		text, err := p.text()
		if err != nil {
			return err
		}
		if out[i], err = p.texts.number(text); err != nil {
			return err
		}
	}
	return nil
}

func (p *byteArrays) skip(n int) error {
	for range n {
		if _, err := p.text(); err != nil {
			return err
		}
	}
	return nil
}

func (p *byteArrays) text() ([]byte, error) {
	if len(p.b) < 4 {
		return nil, errValues
	}
	n := uint64(binary.LittleEndian.Uint32(p.b))
	if n > uint64(len(p.b)-4) {
		return nil, errValues
	}
	text := p.b[4 : 4+n]
	p.b = p.b[4+n:]
	return text, nil
}

// indexes are places in a dictionary: runs of one, and packed ones.
type indexes struct {
	runs       runs
	dictionary []int64
}

func (p *indexes) next(out []int64) error {
	if err := p.runs.next(out); err != nil {
		return err
	}
	for i, at := range out {
		if at >= int64(len(p.dictionary)) {
			return errValues
		}
		out[i] = p.dictionary[at]
	}
	return nil
}

func (p *indexes) skip(n int) error { return p.runs.skip(n) }

// runs are numbers of some bits: runs of equal ones, and packed ones by eights.
type runs struct {
	b      []byte
	width  uint // of a number, at most 32
	left   uint64
	packed []byte // nil: all that are left are value
	pos    uint64 // in packed, in bits
	value  int64
}

func (p *runs) next(out []int64) error {
	for len(out) > 0 {
		if p.left == 0 {
			if err := p.run(); err != nil {
				return err
			}
			continue
		}
		n := int(min(uint64(len(out)), p.left))
		for i := range out[:n] {
			if p.packed == nil {
				out[i] = p.value
				continue
			}
			out[i] = int64(bitsAt(p.packed, p.pos, p.width))
			p.pos += uint64(p.width)
		}
		p.left -= uint64(n)
		out = out[n:]
	}
	return nil
}

func (p *runs) skip(n int) error {
	for n > 0 {
		if p.left == 0 {
			if err := p.run(); err != nil {
				return err
			}
			continue
		}
		some := min(uint64(n), p.left)
		p.pos += some * uint64(p.width)
		p.left -= some
		n -= int(some)
	}
	return nil
}

// run begins the next run, which may be empty.
func (p *runs) run() error {
	head, n := binary.Uvarint(p.b)
	if n <= 0 || head>>1 > maxRows {
		return errValues
	}
	p.b = p.b[n:]
	if head&1 == 0 {
		bytes := (p.width + 7) / 8
		if uint(len(p.b)) < bytes {
			return errValues
		}
		p.packed, p.value, p.left = nil, int64(bitsAt(p.b, 0, p.width)), head>>1
		p.b = p.b[bytes:]
		return nil
	}
	bytes := (head >> 1) * uint64(p.width)
	if bytes > uint64(len(p.b)) {
		return errValues
	}
	p.packed, p.pos, p.left = p.b[:bytes:bytes], 0, (head>>1)*8
	p.b = p.b[bytes:]
	return nil
}

// deltas are differences, in blocks of which each part has a width of its own.
type deltas struct {
	b      []byte
	narrow bool   // numbers are of 32 bits
	total  uint64 // values that are left
	first  bool   // the first one was not given yet
	value  int64
	parts  int    // of a block
	size   uint64 // values of a part
	least  int64  // difference of the block
	widths []byte // of the parts of the block that are left
	packed []byte
	pos    uint64
	width  uint
	left   uint64 // values of the part
}

func newDeltas(b []byte, narrow bool) (*deltas, error) {
	d := &deltas{b: b, narrow: narrow, first: true}
	block, parts, total := d.uvarint(), d.uvarint(), d.uvarint()
	d.value = d.zigzag()
	// The format asks for parts of a multiple of 32 values.
	if d.b == nil || block == 0 || block > 1<<16 || parts == 0 || parts > block/32 || block%parts != 0 || block/parts%32 != 0 {
		return nil, errValues
	}
	d.parts, d.size, d.total = int(parts), block/parts, total
	return d, nil
}

// uvarint takes a number; b is nil after an error.
func (d *deltas) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b = nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *deltas) zigzag() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *deltas) next(out []int64) error {
	if uint64(len(out)) > d.total {
		return errValues
	}
	for i := range out {
		if err := d.step(); err != nil {
			return err
		}
		out[i] = d.value
	}
	return nil
}

func (d *deltas) skip(n int) error {
	if uint64(n) > d.total {
		return errValues
	}
	for n > 0 {
		if d.width == 0 && d.left > 0 && !d.first { // all differences of the part are the same
			some := min(uint64(n), d.left)
			d.value += d.least * int64(some)
			if d.narrow {
				d.value = int64(int32(d.value))
			}
			d.left, d.total, n = d.left-some, d.total-some, n-int(some)
			continue
		}
		if err := d.step(); err != nil {
			return err
		}
		n--
	}
	return nil
}

// step goes on to the next value.
func (d *deltas) step() error {
	if d.first {
		d.first = false
	} else {
		if d.left == 0 {
			if err := d.part(); err != nil {
				return err
			}
		}
		d.value += d.least + int64(bitsAt(d.packed, d.pos, d.width))
		d.pos += uint64(d.width)
		d.left--
	}
	if d.narrow {
		d.value = int64(int32(d.value))
	}
	d.total--
	return nil
}

// part begins the next part of a block, or the next block.
func (d *deltas) part() error {
	if len(d.widths) == 0 {
		d.least = d.zigzag()
		if len(d.b) < d.parts {
			return errValues
		}
		d.widths, d.b = d.b[:d.parts:d.parts], d.b[d.parts:]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errValues
	}
	d.left, d.pos = d.size, 0
	bytes := d.size / 8 * uint64(d.width)
	if bytes > uint64(len(d.b)) {
		return errValues
	}
	d.packed, d.b = d.b[:bytes:bytes], d.b[bytes:]
	return nil
}

// bitsAt is a number of up to 64 bits at a place that b has.
func bitsAt(b []byte, pos uint64, width uint) uint64 {
	if width == 0 {
		return 0
	}
	b = b[pos>>3:]
	shift := uint(pos & 7)
	var v uint64
	if len(b) >= 8 {
		v = binary.LittleEndian.Uint64(b) >> shift
		if shift+width > 64 {
			v |= uint64(b[8]) << (64 - shift)
		}
	} else {
		for i, c := range b {
			v |= uint64(c) << (8 * i)
		}
		v >>= shift
	}
	return v & (1<<width - 1) // 1<<64 is 0: all bits
}
