package slowlog

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"rtrail/internal/infile"
)

// headBytes is how much of a file is looked at to see whether it is a log: more
// than the banner and the longest statement that a log is likely to begin within.
const headBytes = 256 << 10

// IsLog says whether a file begins like a slow query log, compressed or not.
func IsLog(path string) bool {
	return infile.Begins(path, func(in io.Reader) bool {
		head := make([]byte, headBytes)
		n, _ := io.ReadFull(in, head)
		head = head[:n]
		user := []byte("# User@Host: ")
		entry := (bytes.HasPrefix(head, user) || bytes.Contains(head, append([]byte("\n"), user...))) && bytes.Contains(head, []byte("\n# Query_time: "))
		return entry || bytes.Contains(head, []byte(". started with:\n")) && bytes.Contains(head, []byte("Id Command")) // nothing but a server's start
	})
}

// Read gives the entries of a file, in their order, to emit.
func Read(ctx context.Context, path string, o Options, emit func(Entry)) error {
	f, err := infile.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("reading the slow query log: %w", err)
	}
	defer f.Close()
	in, done, err := infile.Unpack(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	defer done()
	p := NewParser(o, emit)
	if _, err := io.Copy(p, infile.Until(ctx, in)); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	p.Flush()
	return nil
}
