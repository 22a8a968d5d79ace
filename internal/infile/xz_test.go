package infile

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// packXZ packs a text in blocks.
func packXZ(t testing.TB, text string, check byte, block int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.WriterConfig{CheckSum: check, NoCheckSum: check == 0, BlockSize: block, DictCap: 1 << 16}.NewWriter(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpackAll(b []byte) (string, error) {
	in, done, err := Unpack(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	defer done()
	text, err := io.ReadAll(in)
	return string(text), err
}

func TestXZ(t *testing.T) {
	var long strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		long.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(9)))
	}
	for _, text := range []string{"", "x", long.String()} {
		for _, check := range []byte{0, xz.CRC32, xz.CRC64, xz.SHA256} {
			for _, block := range []int64{1000, 1 << 30} {
				one := packXZ(t, text, check, block)
				if got, err := unpackAll(one); err != nil || got != text {
					t.Fatalf("%d bytes, check %d, block %d: %d bytes, %v", len(text), check, block, len(got), err)
				}
				two := append(append(bytes.Clone(one), 0, 0, 0, 0), one...)
				if got, err := unpackAll(two); err != nil || got != text+text {
					t.Fatalf("two streams: %d bytes, %v", len(got), err)
				}
			}
		}
	}
}

func TestXZDamaged(t *testing.T) {
	whole := packXZ(t, strings.Repeat("report ", 1000), xz.CRC64, 1000)
	for n := len(xzMagic); n < len(whole); n++ {
		if _, err := unpackAll(whole[:n]); !errors.Is(err, errCut) {
			t.Fatalf("cut off at %d of %d: %v", n, len(whole), err)
		}
	}
	bad := 0
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x55
		if got, err := unpackAll(b); err == nil && i >= len(xzMagic) && got != strings.Repeat("report ", 1000) {
			bad++
		}
	}
	if bad > 0 {
		t.Errorf("%d damaged files were read as if they were whole", bad)
	}
}

// A file says how much memory it takes.
func TestXZWindow(t *testing.T) {
	b := packXZ(t, "x", xz.CRC32, 1<<30)
	head := b[12 : 12+(int(b[12])+1)*4]
	head[bytes.IndexByte(head, 0x21)+2] = 40 // 4 GiB
	sum := crc32.ChecksumIEEE(head[:len(head)-4])
	for i := range 4 {
		head[len(head)-4+i] = byte(sum >> (8 * i))
	}
	if _, err := unpackAll(b); err == nil || !strings.Contains(err.Error(), "xz -dk") {
		t.Error(err)
	}
}

func FuzzXZ(f *testing.F) {
	f.Add(packXZ(f, "report", xz.CRC64, 3))
	f.Fuzz(func(_ *testing.T, b []byte) {
		in, done, err := Unpack(bytes.NewReader(append(bytes.Clone(xzMagic), b...)))
		if err != nil {
			return
		}
		defer done()
		_, _ = io.Copy(io.Discard, io.LimitReader(in, 1<<20))
	})
}
