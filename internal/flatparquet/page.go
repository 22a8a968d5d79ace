package flatparquet

import "errors"

// Kinds of pages, by their numbers in the format.
const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

// maxPage bounds a page, packed and unpacked. Pages of rtrail have half a
// megabyte; a dictionary has all different texts of a million rows.
const maxPage = 256 << 20

// pageHeader is what precedes a page.
type pageHeader struct {
	kind                 int64
	compressed, unpacked int64
	values               int64
	encoding             int64
	packed               bool // of pageData2
}

// header reads the header of the next page and moves on to its bytes.
func (c *cursor) header() (pageHeader, error) {
	room := c.chunk.to - c.at
	if room <= 0 {
		return pageHeader{}, errors.New("values are missing")
	}
	// A header has some dozen bytes, and the least and the greatest value.
	for size := int64(1 << 10); ; size <<= 5 {
		b := make([]byte, min(size, room))
		if _, err := c.r.file.from.ReadAt(b, c.at); err != nil {
			return pageHeader{}, err
		}
		in := &compact{b: b}
		h := in.page()
		if in.short && size < min(room, 1<<20) {
			continue
		}
		if in.err != nil {
			return pageHeader{}, errors.New("the header of a page is damaged")
		}
		c.at += int64(len(b) - len(in.b))
		return h, h.check(c)
	}
}

func (c *compact) page() (h pageHeader) {
	h.packed = true
	c.fields(func(id int64, kind byte) {
		switch {
		case id == 1 && kind == typeI32:
			h.kind = c.int()
		case id == 2 && kind == typeI32:
			h.unpacked = c.int()
		case id == 3 && kind == typeI32:
			h.compressed = c.int()
		case (id == 5 || id == 7 || id == 8) && kind == typeStruct:
			c.pageOf(id == 8, &h)
		default:
			c.skip(kind)
		}
	})
	return h
}

// pageOf reads the part of a header that depends on the kind of the page.
func (c *compact) pageOf(second bool, h *pageHeader) {
	c.fields(func(id int64, kind byte) {
		switch {
		case id == 1 && kind == typeI32:
			h.values = c.int()
		case id == 2 && kind == typeI32 && !second, id == 4 && kind == typeI32 && second:
			h.encoding = c.int()
		case second && (id == 5 || id == 6) && kind == typeI32:
			if c.int() != 0 {
				c.fail(errThrift) // levels, which flat columns without nulls have not
			}
		case second && id == 7:
			h.packed = kind == typeTrue
		default:
			c.skip(kind)
		}
	})
}

func (h *pageHeader) check(c *cursor) error {
	switch {
	case h.kind != pageData && h.kind != pageData2 && h.kind != pageDictionary:
		return errors.New("a page of another kind than rtrail writes")
	case h.compressed < 0 || h.compressed > c.chunk.to-c.at:
		return errors.New("a page lies outside of its column")
	case h.compressed > maxPage || h.unpacked < 0 || h.unpacked > maxPage:
		return errors.New("a page is larger than any of rtrail")
	case h.values < 0 || h.kind != pageDictionary && h.values > c.chunk.values:
		return errors.New("a page has more values than its column")
	case h.kind != pageDictionary && h.values == 0:
		return errors.New("a page without values") // of which a column could have any number
	}
	return nil
}
