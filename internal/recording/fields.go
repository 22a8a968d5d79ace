package recording

import (
	"fmt"
	"math"
	"reflect"
	"time"
	"unsafe"
)

// fields is one field of some rows. Tables have 50 columns and a sample of a
// busy host 10,000 rows: with package reflect, asking for one field after the
// other took half of what writing a recording costs. The type of the field was
// looked at when the kind was made.
type fields struct {
	first unsafe.Pointer // the field of the first row
	size  uintptr        // of a row
}

// raw is some rows as they lie in memory, whatever their type.
type raw struct {
	first unsafe.Pointer
	size  uintptr // of a row
	n     int
}

func rawOf[T any](rows []T) raw {
	var zero T
	return raw{unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(zero), len(rows)}
}

func (r raw) field(c column) fields { return fields{unsafe.Add(r.first, c.at), r.size} }

// at is when a row was read.
func (r raw) at(row int) time.Time { return *field[time.Time](fields{r.first, r.size}, row) }

// field is where one row has it, as what its codec says it is.
func field[F any](f fields, row int) *F { return (*F)(unsafe.Add(f.first, uintptr(row)*f.size)) }

// codec turns a field of rows into words, and back.
type codec struct {
	kind columnKind
	load func(into []word, f fields, texts *textList)
	// store says which word does not fit.
	store func(f fields, words []word, texts []string) error
}

// codecOf is that of a field's type. Rows hold no other ones.
func codecOf(t reflect.Type) (c codec, ok bool) {
	if t == reflect.TypeFor[time.Time]() {
		return moments, true
	}
	c, ok = codecs[t.Kind()]
	return c, ok
}

var codecs = map[reflect.Kind]codec{
	reflect.Int:    numberCodec[int](integer),
	reflect.Int8:   numberCodec[int8](integer),
	reflect.Int16:  numberCodec[int16](integer),
	reflect.Int32:  numberCodec[int32](integer),
	reflect.Int64:  numberCodec[int64](integer),
	reflect.Uint:   numberCodec[uint](unsigned),
	reflect.Uint8:  numberCodec[uint8](unsigned),
	reflect.Uint16: numberCodec[uint16](unsigned),
	reflect.Uint32: numberCodec[uint32](unsigned),
	reflect.Uint64: numberCodec[uint64](unsigned),
	reflect.Float64: wordCodec(float, func(f float64) word { return word(math.Float64bits(f)) },
		func(w word) float64 { return math.Float64frombits(uint64(w)) }),
	reflect.Bool:   wordCodec(boolean, wordOf, func(w word) bool { return w != 0 }),
	reflect.String: texts,
}

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func numberCodec[N number](kind columnKind) codec {
	return codec{
		kind: kind,
		load: func(into []word, f fields, _ *textList) {
			for i := range into {
				into[i] = word(*field[N](f, i))
			}
		},
		store: func(f fields, words []word, _ []string) error {
			for i, w := range words {
				n := N(w)
				if word(n) != w {
					return fmt.Errorf("%d does not fit", w)
				}
				*field[N](f, i) = n
			}
			return nil
		},
	}
}

// wordCodec is the codec of what any word can be.
func wordCodec[F any](kind columnKind, toWord func(F) word, fromWord func(word) F) codec {
	return codec{
		kind: kind,
		load: func(into []word, f fields, _ *textList) {
			for i := range into {
				into[i] = toWord(*field[F](f, i))
			}
		},
		store: func(f fields, words []word, _ []string) error {
			for i, w := range words {
				*field[F](f, i) = fromWord(w)
			}
			return nil
		},
	}
}

func wordOf(b bool) word {
	if b {
		return 1
	}
	return 0
}

var (
	moments      = wordCodec(moment, time.Time.UnixNano, timeOf)
	milliseconds = wordCodec(moment, func(t time.Time) word { return t.UnixNano() / word(time.Millisecond) }, func(w word) time.Time {
		if w == noTime/word(time.Millisecond) {
			return time.Time{}
		}
		return timeOf(w * word(time.Millisecond))
	})
)

var texts = codec{
	kind: text,
	load: func(into []word, f fields, texts *textList) {
		before, number := "", word(0)
		for i := range into {
			if s := *field[string](f, i); s != before {
				before, number = s, texts.number(s)
			}
			into[i] = number
		}
	},
	store: func(f fields, words []word, texts []string) error {
		for i, w := range words {
			if w < 0 || w >= word(len(texts)) {
				return fmt.Errorf("text %d of %d", w, len(texts))
			}
			*field[string](f, i) = texts[w]
		}
		return nil
	},
}
