package stack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"rtrail/internal/budget"
	"rtrail/internal/crash"
)

const (
	// pieceSize is how much text a worker gets at once: some thousand threads,
	// so that handing over costs nothing, and little enough for a cache. It is
	// also what a format is told by: gdb writes a line per thread before the
	// first stack.
	pieceSize = 1 << 20
	// maxThread bounds the memory that text without any thread takes.
	maxThread = 64 << 20
	// maxProblems is how many places are kept of those that cannot be read.
	maxProblems = 10
)

// piece is text that begins and ends between threads.
type piece struct {
	text []byte
	line int64 // lines before it
	buf  []byte
}

// job reads one file: one goroutine cuts it, workers parse.
type job struct {
	src    *Source
	o      Options
	vm     *java
	memory *budget.Budget
	format *format
	pieces chan piece
	free   chan []byte
	group  sync.WaitGroup
	mu     sync.Mutex
	sum    *aggregate
}

func newJob(src *Source, o Options, vm *java, memory *budget.Budget) *job {
	return &job{memory: memory, src: src, o: o, vm: vm, pieces: make(chan piece, o.Workers), free: make(chan []byte, 2*o.Workers+2)}
}

// run cuts text into pieces until it ends.
func (j *job) run(ctx context.Context, from io.Reader) error {
	in := &withoutNUL{in: from}
	buf := make([]byte, pieceSize)
	have := 0
	for {
		n, err := io.ReadFull(in, buf[have:])
		have += n
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			j.rest(buf[:have])
			return err
		}
		if j.format == nil {
			if j.format = formatOf(buf[:have], in.seen); j.format == nil {
				if have == 0 && !in.seen {
					return errors.New("it is empty")
				}
				return ErrFormat
			}
			j.start(ctx)
		}
		if ended {
			j.rest(buf[:have])
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cut := j.format.start(buf[:have])
		if cut == 0 {
			if have < maxThread {
				buf = append(buf, make([]byte, len(buf))...)
				continue
			}
			cut = lineStart(buf[:have])
			if cut == 0 {
				cut = have
			}
		}
		next := j.buffer(have - cut)
		kept := copy(next, buf[cut:have])
		j.send(buf[:cut], buf)
		buf, have = next, kept
	}
}

func (j *job) buffer(atLeast int) []byte {
	select {
	case b := <-j.free:
		if len(b) > atLeast {
			return b
		}
	default:
	}
	return make([]byte, max(pieceSize, 2*atLeast))
}

// rest sends what is left at the end of a file, as far as its format is known.
func (j *job) rest(text []byte) {
	if j.format != nil && len(text) > 0 {
		j.send(text, nil)
	}
}

func (j *job) send(text, buf []byte) {
	lines := int64(bytes.Count(text, []byte{'\n'}))
	j.src.Bytes += int64(len(text))
	p := piece{text: text, line: j.src.Lines, buf: buf}
	j.src.Lines += lines
	j.pieces <- p
}

func (j *job) start(ctx context.Context) {
	j.src.Format, j.src.Kind = j.format.name, j.format.kind
	workers := j.o.Workers
	if j.format.alone {
		workers = 1
	}
	j.sum = newAggregate(j.format.kind, j.o.Top, nil)
	for range workers {
		j.group.Go(func() {
			s := &sink{aggregate: newAggregate(j.format.kind, j.o.Top, j.memory), pid: -1}
			if j.format.name == "jstack" {
				s.vm = j.vm
			}
			for p := range j.pieces {
				if ctx.Err() != nil {
					continue
				}
				s.line = p.line
				if err := crash.Guard(func() error {
					j.format.parse(p.text, s)
					return nil
				}); err != nil { // costs the rest of the piece
					s.problems = append(s.problems, Problem{p.line + 1, err.Error()})
				}
				if j.format.mark != nil {
					s.samples += int64(bytes.Count(p.text, j.format.mark))
				}
				if p.buf != nil {
					select {
					case j.free <- p.buf[:cap(p.buf)]:
					default:
					}
				}
			}
			j.mu.Lock()
			defer j.mu.Unlock()
			j.sum.merge(s.aggregate)
			j.src.Samples += s.samples
			j.src.Unreadable += s.unreadable
			j.src.Problems = append(j.src.Problems, s.problems...)
		})
	}
}

// wait gives the sum of all workers; nil if the format was not known.
func (j *job) wait() *aggregate {
	close(j.pieces)
	j.group.Wait()
	if j.sum == nil {
		return nil
	}
	sortProblems(j.src)
	j.src.Threads, j.src.Left = j.sum.threads, j.sum.left
	if j.format.mark == nil {
		j.src.Samples = j.sum.threads
	} else if j.src.Samples == 0 && j.sum.threads > 0 {
		j.src.Samples = 1
	}
	return j.sum
}
