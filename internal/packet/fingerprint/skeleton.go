package fingerprint

// maxSkeleton is the longest text, in bytes, whose skeleton is made.
const maxSkeleton = 512

// Classes of bytes in a skeleton: what can be copied as it is, and what cannot.
const (
	plain  = iota
	letter // a part of a name
	figure // begins a number, unless it is a part of a name
	quote
	tick   // begins a quoted name
	minus  // may begin a comment
	beyond // needs the full scan
)

// The classes of each dialect.
var (
	mysqlSkeleton    = skeletonClasses(&mysql)
	postgresSkeleton = skeletonClasses(&postgres)
	cqlSkeleton      = skeletonClasses(&cql)
	transactSkeleton = skeletonClasses(&transact)
)

func skeletonClasses(d *dialect) (c [256]uint8) {
	for i := range c {
		switch class[i] {
		case word, at:
			c[i] = letter
		case dollar:
			c[i] = letter
			if d.dollar || d.money {
				c[i] = beyond
			}
		case digit:
			c[i] = figure
		case single:
			c[i] = quote
		case double:
			c[i] = tick
			if d.doubleQuoted {
				c[i] = quote
			}
		case back:
			c[i] = tick
		case dash, slash:
			c[i] = minus
			if d.cql {
				c[i] = beyond
			}
		case hash:
			if d.hash {
				c[i] = beyond
			}
		}
	}
	return c
}

// skeleton writes a text with numbers as 0 and strings as a quote, and all else
// as it is: half as expensive as the shape, and enough to find a statement that
// comes again with other literals. Texts with equal skeletons have equal shapes.
// It returns nil for what only the full scan understands: comments, escapes,
// doubled quotes, exponents with a sign.
func (s *shape) skeleton(d *dialect, text []byte, cut bool) []byte {
	classes, tag := &mysqlSkeleton, byte('M')
	switch d {
	case &postgres:
		classes, tag = &postgresSkeleton, 'P'
	case &cql:
		classes, tag = &cqlSkeleton, 'C'
	case &transact:
		classes, tag = &transactSkeleton, 'T'
	}
	if cut {
		tag |= 0x80
	}
	out := &s.bones
	out[0] = tag
	n := 1
	for i := 0; i < len(text); {
		b := text[i]
		switch classes[b] {
		case plain:
			out[n&(bones-1)] = b
			n++
			i++
		case letter:
			for {
				out[n&(bones-1)] = b
				n++
				if i++; i == len(text) {
					break
				}
				if b = text[i]; !inWord[b] {
					break
				}
			}
		case figure:
			for i++; i < len(text) && (inWord[text[i]] || text[i] == '.'); i++ {
			}
			if i < len(text) && (text[i] == '-' || text[i] == '+') && text[i-1]|0x20 == 'e' {
				return nil
			}
			out[n&(bones-1)] = '0'
			n++
		case quote:
			j := i + 1
			for j < len(text) && text[j] != b && text[j] != '\\' {
				j++
			}
			if j == len(text) || text[j] != b {
				return nil
			}
			if j+1 < len(text) && (text[j+1] == b || inWord[text[j+1]]) {
				return nil
			}
			out[n&(bones-1)] = b
			n++
			i = j + 1
		case tick:
			for {
				out[n&(bones-1)] = text[i]
				n++
				if i++; i == len(text) {
					return nil
				}
				if text[i] == b {
					break
				}
			}
			out[n&(bones-1)] = b
			n++
			i++
		case minus:
			if i+1 < len(text) && (text[i+1] == '-' || text[i+1] == '*') {
				return nil
			}
			out[n&(bones-1)] = b
			n++
			i++
		default:
			return nil
		}
	}
	return out[:n]
}

// bones is the room for a skeleton; a power of two, so that no index needs a
// check.
const bones = 2 * maxSkeleton
