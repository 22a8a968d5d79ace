package recording

import (
	"time"
	"unsafe"
)

// Most rows of processes and connections repeat others (Again), and did so in the sample
// before. Such a row is not made to find that nothing but its time changed.

// base is the row that a row repeats, and the time of that; row is nil of one that is there itself.
// It begins with the time, as rows do.
type base struct {
	at  time.Time
	row unsafe.Pointer
}

// later says that it repeats a row at another time than that of its reading. Of two such the
// rows differ in their time alone: see Repeat.
func (b *base) later() bool { return b.row != nil && !b.at.Equal(*(*time.Time)(b.row)) }

// bases appends those of rows first up to last.
func (t *table[T]) bases(first, last int, into []base) []base {
	at := 0
	add := func(n int, of func(i int) base) {
		for i := max(first-at, 0); i < min(n, last-at); i++ {
			into = append(into, of(i))
		}
		at += n
	}
	itself := func(int) base { return base{} }
	add(len(t.list), itself)
	for _, p := range t.more {
		add(len(p.rows), itself)
		add(len(p.again), func(i int) base { return base{p.again[i].At, unsafe.Pointer(p.again[i].Row)} })
	}
	return into
}

// load turns rows first up to last into words, one slice per column. encode follows, with these.
func (d *deltaTable) load(k *kind, from rows, first, last int, texts *textList) [][]word {
	bases := from.bases(first, last, d.spareBases[:0])
	words := k.room(d.spare, len(bases))
	expect := 0 // where the sample before goes on
	for at := 0; at < len(bases); {
		if before, n := d.repeated(bases[at:], expect); n > 0 {
			for c := range words {
				copy(words[c][at:at+n], d.words[c][before:])
			}
			times := rawOf(bases[at : at+n])
			k.columns[0].load(words[0][at:at+n], fields{times.first, times.size}, texts)
			at, expect = at+n, before+n
			continue
		}
		n := 1
		for ; at+n < len(bases); n++ {
			if _, some := d.repeated(bases[at+n:], expect+n); some > 0 {
				break
			}
		}
		k.fill(words, at, from, first+at, first+at+n, texts)
		at, expect = at+n, expect+n
	}
	d.bases, d.spareBases = bases, d.bases
	return words
}

// lookAround is how far from where it is expected a row of the sample before is looked for:
// things that came or went stand in between.
const lookAround = 16

// repeated says how many of some rows the sample before repeats, too, one after the other,
// and where there.
func (d *deltaTable) repeated(some []base, expect int) (before, n int) {
	if !some[0].later() {
		return 0, 0
	}
	for before := max(expect-lookAround, 0); before < min(expect+lookAround, len(d.bases)); before++ {
		was := d.bases[before:]
		for n := 0; ; n++ {
			if n == min(len(some), len(was)) || was[n].row != some[n].row || !was[n].later() || !some[n].later() {
				if n > 0 {
					return before, n
				}
				break
			}
		}
	}
	return 0, 0
}
