package traffic

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// Format is a line in the codes of tcprstat, once per interval over all
// services. All times are whole microseconds, rounded down, as tcprstat has
// them:
//
//	%n count          %a mean             %s sum           %x sum of squares
//	%m minimum        %M maximum          %h median        %S standard deviation
//	%v variance       %I iteration from 0 %t seconds since the first interval began
//	%T Unix time at the end of the interval                %% \n \t \r \\
//
// A number from 1 to 100 after the % restricts a code to the fastest so many
// percent: of n response times, the n*P/100 smallest, rounded down. %95M is thus
// the largest of the fastest 95 percent. What would be of none is 0.
//
// Over all of an interval the sums, extremes and what follows from them are
// exact; the median and everything restricted by a percentage is computed from
// a histogram and within one percent of the value, the variance within two.
type Format struct{ pieces []piece }

type piece struct {
	literal string
	code    byte // 0: literal
	percent int
}

const formatCodes = "nasxmMhSvItT"

const formatHelp = "codes: %n count, %a mean, %s sum, %x sum of squares, %m minimum, %M maximum, %h median, %S standard deviation, %v variance, " +
	"%I iteration, %t seconds, %T Unix time, %% percent sign, \\n, \\t; a number from 1 to 100 after % restricts to that percentile, as in %95M"

// maxFormat bounds a format: nobody types more.
const maxFormat = 16 << 10

// ParseFormat reads a format.
func ParseFormat(s string) (*Format, error) {
	if s == "" || len(s) > maxFormat {
		return nil, fmt.Errorf("--format takes 1 to %d bytes; %s", maxFormat, formatHelp)
	}
	f := &Format{}
	var literal strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i+1 < len(s) {
				if at := strings.IndexByte(`ntr\`, s[i+1]); at >= 0 {
					literal.WriteByte("\n\t\r\\"[at])
					i++
					continue
				}
			}
			literal.WriteByte('\\')
		case '%':
			p, used, err := parseCode(s[i:])
			if err != nil {
				return nil, fmt.Errorf("--format: %w; %s", err, formatHelp)
			}
			i += used - 1
			if p.code == '%' {
				literal.WriteByte('%')
				continue
			}
			f.text(&literal)
			f.pieces = append(f.pieces, p)
		default:
			literal.WriteByte(s[i])
		}
	}
	f.text(&literal)
	return f, nil
}

func (f *Format) text(b *strings.Builder) {
	if b.Len() > 0 {
		f.pieces = append(f.pieces, piece{literal: b.String()})
		b.Reset()
	}
}

// parseCode reads a code with its percentage from the beginning of s.
func parseCode(s string) (p piece, used int, err error) {
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	digits := s[1:n]
	switch {
	case n == len(s):
		return p, 0, fmt.Errorf("%q has no code", s)
	case digits == "" && s[n] == '%':
		return piece{code: '%'}, n + 1, nil
	case strings.IndexByte(formatCodes, s[n]) < 0:
		return p, 0, fmt.Errorf("there is no code %%%s%s", digits, string([]rune(s[n:])[0]))
	}
	p = piece{code: s[n], percent: 100}
	if digits == "" {
		return p, n + 1, nil
	}
	if p.percent, err = strconv.Atoi(digits); err != nil || p.percent < 1 || p.percent > 100 {
		return p, 0, fmt.Errorf("%s is no percentage: 1 to 100", s[:n+1])
	}
	if strings.IndexByte("ItT", p.code) >= 0 {
		return p, 0, errors.New(s[:n+1] + ": a time has no percentile")
	}
	return p, n + 1, nil
}

// Interval is what a line is about.
type Interval struct {
	rt.Stats
	Iteration int64
	End       int64 // nanoseconds since 1970
	Elapsed   time.Duration
}

// Append appends the line of an interval.
func (f *Format) Append(b []byte, x *Interval) []byte {
	var last part
	for _, p := range f.pieces {
		switch p.code {
		case 0:
			b = append(b, p.literal...)
		case 'I':
			b = strconv.AppendInt(b, x.Iteration, 10)
		case 't':
			b = strconv.AppendInt(b, int64(x.Elapsed/time.Second), 10)
		case 'T':
			b = strconv.AppendInt(b, x.End/int64(time.Second), 10)
		default:
			if last.percent != p.percent {
				last = fastest(&x.Stats, p.percent)
			}
			b = last.append(b, p.code)
		}
	}
	return b
}

// part sums up the fastest so many percent, in nanoseconds.
type part struct {
	percent          int
	n                uint64
	sum, squares     float64
	least, most, mid time.Duration
}

func fastest(s *rt.Stats, percent int) part {
	p := part{percent: percent, n: uint64(s.Count) * uint64(percent) / 100}
	if p.n == 0 {
		return p
	}
	p.least = s.RTMin
	p.mid = middle(s, p.n)
	if p.n == uint64(s.Count) {
		p.most, p.sum = s.RTMax, float64(s.RTSum)
		p.squares = s.Squares() * 1e18
		return p
	}
	left := p.n
	for _, b := range s.RT.Buckets(64) {
		n := min(b.Count, left)
		at := min(max(b.From+(b.To-b.From-1)/2, s.RTMin), s.RTMax)
		p.sum += float64(at) * float64(n)
		p.squares += float64(at) * float64(at) * float64(n)
		p.most = at
		if left -= n; left == 0 {
			break
		}
	}
	return p
}

// middle is the median of the n smallest: of an even number, the mean of the
// two in the middle.
func middle(s *rt.Stats, n uint64) time.Duration {
	at := func(rank uint64) time.Duration { return s.Quantile((float64(rank) - 0.5) / float64(s.Count)) }
	if n%2 == 1 {
		return at(n/2 + 1)
	}
	return (at(n/2) + at(n/2+1)) / 2
}

func (p *part) append(b []byte, code byte) []byte {
	if code == 'n' {
		return strconv.AppendUint(b, p.n, 10)
	}
	if p.n == 0 {
		return append(b, '0')
	}
	mean := p.sum / float64(p.n)
	variance := max(0, p.squares/float64(p.n)-mean*mean)
	var ns float64
	switch code {
	case 'a':
		ns = mean
	case 's':
		ns = p.sum
	case 'm':
		ns = float64(p.least)
	case 'M':
		ns = float64(p.most)
	case 'h':
		ns = float64(p.mid)
	case 'S':
		ns = math.Sqrt(variance)
	case 'x': // squares are in microseconds squared
		ns = p.squares / 1e3
	case 'v':
		ns = variance / 1e3
	}
	// What only the last bits of a float keep from being whole is whole.
	return strconv.AppendFloat(b, math.Floor(ns/1e3*(1+1e-12)), 'f', 0, 64)
}

// Formatted prints a line per interval.
type Formatted struct {
	Out    io.Writer
	Format *Format
	Every  time.Duration
	Start  time.Time // of a live capture; else zero: the first interval is that of the first packets

	slots slots[struct{}, rt.Stats]
	first int64
	n     int64
	err   error
}

func (f *Formatted) begin() {
	if f.slots.give != nil {
		return
	}
	f.slots.every, f.slots.give = max(f.Every, time.Second), f.line
	if !f.Start.IsZero() {
		f.slots.begin(f.Start.UnixNano())
	}
}

// Second takes the next one. Write errors are kept for Close.
func (f *Formatted) Second(x *summary.Second) {
	f.begin()
	f.slots.add(x.At, struct{}{}, &x.Stats, func(have *rt.Stats) { have.Merge(&x.Stats) })
}

// Passed prints the intervals that are over.
func (f *Formatted) Passed(before int64) {
	f.begin()
	f.slots.passed(before * int64(time.Second))
}

// Close prints what is left and tells the first write error.
func (f *Formatted) Close() error {
	f.begin()
	f.slots.flush()
	return f.err
}

func (f *Formatted) line(at int64, list []*rt.Stats) {
	if f.n == 0 {
		f.first = at
	}
	end := at + int64(f.slots.every)
	x := Interval{Iteration: f.n, End: end, Elapsed: time.Duration(end - f.first)}
	if len(list) > 0 {
		x.Stats = *list[0]
	}
	f.n++
	if f.err == nil {
		_, f.err = f.Out.Write(f.Format.Append(nil, &x))
	}
}
