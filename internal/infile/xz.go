package infile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzMagic begins a file of xz.
var xzMagic = []byte{0xfd, '7', 'z', 'X', 'Z', 0}

var errXZ = errors.New("the xz file is damaged")

// xzReader unpacks a file of xz: streams of blocks of LZMA2 (The .xz File Format, 1.1.0). A
// library does the packing; the frame around it is read here, as a block says how much memory
// it wants, up to 4 GiB.
type xzReader struct {
	in    *bufio.Reader
	n     int64 // bytes read
	check byte  // kind of checksum of blocks
	block io.Reader
	began int64 // where the data of the block begins
	sum   hash.Hash
	count int64 // blocks in this stream
}

func newXZ(in io.Reader) *xzReader { return &xzReader{in: bufio.NewReader(in)} }

// ReadByte implements io.ByteReader for LZMA2, which reads no further than it must.
func (x *xzReader) ReadByte() (byte, error) {
	b, err := x.in.ReadByte()
	if err == nil {
		x.n++
	}
	return b, err
}

// packed is the packed data.
type packed struct{ x *xzReader }

func (p packed) ReadByte() (byte, error) { return p.x.ReadByte() }

func (p packed) Read(b []byte) (int, error) {
	n, err := p.x.in.Read(b)
	p.x.n += int64(n)
	return n, err
}

// Read implements io.Reader.
func (x *xzReader) Read(b []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
		}
		n, err := x.block.Read(b)
		if x.sum != nil {
			x.sum.Write(b[:n])
		}
		if errors.Is(err, io.EOF) {
			if err = x.endBlock(); errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next goes to the next block; io.EOF: there is none.
func (x *xzReader) next() error {
	for {
		if x.check == 0xff || x.n == 0 {
			if err := x.stream(); err != nil {
				return err
			}
		}
		size, err := x.ReadByte()
		if err != nil {
			return cutOff(err)
		}
		if size > 0 {
			return cutOff(x.header(size))
		}
		if err := x.index(); err != nil {
			return cutOff(err)
		}
	}
}

// stream reads the header of a stream; io.EOF: there is none.
func (x *xzReader) stream() error {
	head := make([]byte, 12)
	for { // zeros may stand between streams
		if _, err := io.ReadFull(packed{x}, head[:4]); err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(head) != 0 {
			break
		}
	}
	if _, err := io.ReadFull(packed{x}, head[4:]); err != nil {
		return cutOff(err)
	}
	if string(head[:6]) != string(xzMagic) || head[6] != 0 || head[7] > 15 || crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return errXZ
	}
	x.check, x.count = head[7], 0
	return nil
}

// header reads the header of a block and begins with its data.
func (x *xzReader) header(size byte) error {
	head := make([]byte, (int(size)+1)*4)
	head[0] = size
	if _, err := io.ReadFull(packed{x}, head[1:]); err != nil {
		return err
	}
	end := len(head) - 4
	if crc32.ChecksumIEEE(head[:end]) != binary.LittleEndian.Uint32(head[end:]) {
		return errXZ
	}
	flags, rest := head[1], head[2:end]
	for _, there := range []bool{flags&0x40 != 0, flags&0x80 != 0} { // sizes, packed and unpacked
		if there {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return errXZ
			}
			rest = rest[n:]
		}
	}
	if flags&0x03 != 0 || len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 {
		return errors.New("the xz file has filters besides LZMA2: unpack it with xz -dk")
	}
	window, err := lzma.DecodeDictCap(rest[2])
	if err != nil || window > maxWindow {
		return fmt.Errorf("unpacking the xz file takes %d MB of memory, of at most %d: unpack it with xz -dk", window>>20, maxWindow>>20)
	}
	x.began = x.n
	switch x.check {
	case 1:
		x.sum = crc32.NewIEEE()
	case 4:
		x.sum = crc64.New(crc64.MakeTable(crc64.ECMA))
	default:
		x.sum = nil // of the others little is lost: LZMA2 notices most
	}
	x.block, err = lzma.Reader2Config{DictCap: int(max(window, lzma.MinDictCap))}.NewReader2(packed{x})
	return err
}

// endBlock reads what follows the data of a block.
func (x *xzReader) endBlock() error {
	pad := make([]byte, (4-(x.n-x.began)%4)%4)
	// Sizes of checksums by their kind.
	sum := make([]byte, []int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[x.check])
	for _, b := range [][]byte{pad, sum} {
		if _, err := io.ReadFull(packed{x}, b); err != nil {
			return err
		}
	}
	if x.sum != nil {
		got := x.sum.Sum(nil) // big-endian
		for i := range sum {
			if sum[i] != got[len(got)-1-i] {
				return errXZ
			}
		}
	}
	x.block = nil
	x.count++
	return nil
}

// index reads what ends a stream: sizes of its blocks, which are known, and the footer.
func (x *xzReader) index() error {
	began := x.n - 1
	n, err := binary.ReadUvarint(x)
	if err != nil || n != uint64(x.count) {
		return errors.Join(errXZ, err)
	}
	for range 2 * n {
		if _, err := binary.ReadUvarint(x); err != nil {
			return err
		}
	}
	rest := make([]byte, (4-(x.n-began)%4)%4+4+12) // padding, checksum, footer
	if _, err := io.ReadFull(packed{x}, rest); err != nil {
		return err
	}
	if string(rest[len(rest)-2:]) != "YZ" {
		return errXZ
	}
	x.check = 0xff
	return nil
}

// cutOff is what an end within a stream means.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
