// Package inflate undoes the compression of messages, a step at a time, so that what is
// captured does not decide how much memory that takes.
package inflate

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	step      = 16 << 10 // bytes
	maxWindow = 8 << 20  // of zstd, as much as its own levels up to 19 use
)

// Steps inflates at most max bytes of a body, which zlib has compressed, or else zstd, and
// hands them to take, each piece valid during the call, until that wants no more. It
// returns how many bytes it handed over: fewer than there are if the body is broken.
func Steps(body []byte, isZstd bool, max int, take func(piece []byte) (more bool)) (total int) {
	f := inflaters.Get().(*inflater)
	defer inflaters.Put(f)
	r := f.open(body, isZstd)
	for more := r != nil; more && total < max; {
		n, err := io.ReadFull(r, f.out[:min(max-total, step)])
		if n > 0 {
			total += n
			more = take(f.out[:n])
		}
		more = more && err == nil
	}
	return total
}

// inflater is what it takes to inflate; it is shared by all connections.
type inflater struct {
	src  bytes.Reader
	zlib io.ReadCloser
	zstd *zstd.Decoder
	out  [step]byte
}

var inflaters = sync.Pool{New: func() any { return &inflater{} }}

// open begins to inflate; nil if it cannot.
func (f *inflater) open(body []byte, isZstd bool) io.Reader {
	f.src.Reset(body)
	var err error
	switch {
	case isZstd && f.zstd == nil:
		f.zstd, err = zstd.NewReader(&f.src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	case isZstd:
		err = f.zstd.Reset(&f.src)
	case f.zlib == nil:
		f.zlib, err = zlib.NewReader(&f.src)
	default:
		err = f.zlib.(zlib.Resetter).Reset(&f.src, nil)
	}
	switch {
	case err != nil:
		return nil
	case isZstd:
		return f.zstd
	}
	return f.zlib
}
