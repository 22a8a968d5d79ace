package stack

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"

	"github.com/ianlancetaylor/demangle"
)

// A process may map any file, and call it a library: what is read of it is
// bounded. The largest programs have half of these.
const (
	maxHeaderBytes  = 16 << 20 // all that is read to find the sections
	maxSectionBytes = 512 << 20
	maxSymbols      = 4 << 20
	maxNameBytes    = 16 << 10 // longer names are not decoded
	// maxNamePower is the longest decoded name, as a power of two: short names can
	// stand for very long ones.
	maxNamePower = 14
)

// readELF reads the headers of a file.
func readELF(f *os.File) (*elf.File, error) {
	in := &boundedReaderAt{f: f, left: maxHeaderBytes}
	e, err := elf.NewFile(in)
	in.left = -1
	return e, err
}

// boundedReaderAt refuses to read more than some bytes; left -1: it does not.
type boundedReaderAt struct {
	f    *os.File
	left int64
}

var errHeaders = errors.New("it has more headers than any program")

func (b *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			b.left = 0
			return 0, errHeaders
		}
	}
	return b.f.ReadAt(p, at)
}

// sectionData is what a section holds, uncompressed.
func sectionData(s *elf.Section) ([]byte, error) {
	if s.Size > maxSectionBytes {
		return nil, fmt.Errorf("section %s has %d bytes, more than is read of a program", s.Name, s.Size)
	}
	return s.Data()
}

// maxBuildID bounds the note with a build ID: those of linkers have up to 36
// bytes, and those that people give are as long as a hash.
const maxBuildID = 128

// buildID is the build ID of a file; nil if it has none.
func buildID(f *elf.File) []byte {
	s := f.Section(".note.gnu.build-id")
	if s == nil || s.Size > maxBuildID {
		return nil
	}
	data, err := sectionData(s)
	if err != nil || len(data) < 12 {
		return nil
	}
	// A note: lengths of name and content, type, name, content.
	o := f.ByteOrder
	if name, kind := o.Uint32(data), o.Uint32(data[8:]); name != 4 || kind != noteBuildID || len(data) < 16 {
		return nil
	}
	if length := o.Uint32(data[4:]); length >= 2 && uint64(length) <= uint64(len(data)-16) {
		return data[16 : 16+length]
	}
	return nil
}

// noteBuildID is NT_GNU_BUILD_ID (elf.h).
const noteBuildID = 3

// readableName decodes the name of a function of C++ or Rust.
func readableName(name string) string {
	if len(name) > maxNameBytes {
		return name[:maxNameBytes] + "..."
	}
	return demangle.Filter(name, demangle.NoParams, demangle.MaxLength(maxNamePower))
}
