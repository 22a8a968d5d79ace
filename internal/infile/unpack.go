package infile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what unpacking keeps: as much as zstd itself takes without
// being told to.
const maxWindow = 128 << 20

// Unpack sees through gzip, zstd and xz; what is packed in no such way is given back
// as it is. The function frees what unpacking holds.
func Unpack(in io.Reader) (io.Reader, func(), error) {
	head := make([]byte, len(xzMagic))
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	in = io.MultiReader(bytes.NewReader(head[:n]), in)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, err
		}
		return whole{z}, func() { z.Close() }, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return whole{z}, z.Close, nil
	}
	if bytes.Equal(head, xzMagic) {
		return whole{newXZ(in)}, func() {}, nil
	}
	return in, func() {}, nil
}

// Begins asks what a file begins like, unpacked. Of what is no regular file, what is
// looked at would be missing when it is read: it begins like nothing.
func Begins(path string, like func(io.Reader) bool) bool {
	if !Regular(path) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	in, done, err := Unpack(f)
	if err != nil {
		return false
	}
	defer done()
	return like(in)
}

// whole tells a compressed file that was cut from one that ended.
type whole struct{ io.Reader }

var errCut = errors.New("the compressed file is cut off: the rest is missing")

func (w whole) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errCut
	}
	return n, err
}
