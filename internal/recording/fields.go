package recording

import (
	"fmt"
	"math"
	"time"
	"unsafe"
)

// fields is one field of some rows. Tables have 50 columns and a sample of a
// busy host 10,000 rows: with package reflect, asking for one field after the
// other took half of what writing a recording costs. The type of the field was
// looked at when the kind was made.
type fields[T any] struct {
	rows []T
	column
}

// field is where one row has it, as what the column says it is.
func field[F, T any](f fields[T], row int) *F {
	return (*F)(unsafe.Add(unsafe.Pointer(&f.rows[row]), f.at))
}

// loadColumn turns a field of all rows into words.
func loadColumn[T any](into []word, f fields[T], texts *textList) {
	switch f.kind {
	case integer:
		switch f.bits {
		case 8:
			loadNumbers[int8](into, f)
		case 16:
			loadNumbers[int16](into, f)
		case 32:
			loadNumbers[int32](into, f)
		default:
			loadNumbers[int64](into, f)
		}
	case unsigned:
		switch f.bits {
		case 8:
			loadNumbers[uint8](into, f)
		case 16:
			loadNumbers[uint16](into, f)
		case 32:
			loadNumbers[uint32](into, f)
		default:
			loadNumbers[uint64](into, f)
		}
	case float:
		for i := range into {
			into[i] = word(math.Float64bits(*field[float64](f, i)))
		}
	case boolean:
		for i := range into {
			into[i] = 0
			if *field[bool](f, i) {
				into[i] = 1
			}
		}
	case text:
		before, number := "", word(0)
		for i := range into {
			if s := *field[string](f, i); s != before {
				before, number = s, texts.number(s)
			}
			into[i] = number
		}
	case moment:
		for i := range into {
			into[i] = field[time.Time](f, i).UnixNano()
		}
	}
}

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func loadNumbers[N number, T any](into []word, f fields[T]) {
	for i := range into {
		into[i] = word(*field[N](f, i))
	}
}

// storeColumn fills a field of all rows from words. An error says which word
// does not fit.
func storeColumn[T any](f fields[T], words []word, texts []string) error {
	switch f.kind {
	case integer:
		switch f.bits {
		case 8:
			return storeNumbers[int8](f, words)
		case 16:
			return storeNumbers[int16](f, words)
		case 32:
			return storeNumbers[int32](f, words)
		default:
			return storeNumbers[int64](f, words)
		}
	case unsigned:
		switch f.bits {
		case 8:
			return storeNumbers[uint8](f, words)
		case 16:
			return storeNumbers[uint16](f, words)
		case 32:
			return storeNumbers[uint32](f, words)
		default:
			return storeNumbers[uint64](f, words)
		}
	case float:
		for i, w := range words {
			*field[float64](f, i) = math.Float64frombits(uint64(w))
		}
	case boolean:
		for i, w := range words {
			*field[bool](f, i) = w != 0
		}
	case text:
		for i, w := range words {
			if w < 0 || w >= word(len(texts)) {
				return fmt.Errorf("column %s: text %d of %d", f.name, w, len(texts))
			}
			*field[string](f, i) = texts[w]
		}
	case moment:
		for i, w := range words {
			*field[time.Time](f, i) = timeOf(w)
		}
	}
	return nil
}

func storeNumbers[N number, T any](f fields[T], words []word) error {
	for i, w := range words {
		n := N(w)
		if word(n) != w {
			return fmt.Errorf("column %s: %d does not fit", f.name, w)
		}
		*field[N](f, i) = n
	}
	return nil
}
