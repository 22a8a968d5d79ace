package flatparquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Type is the physical type of a column.
type Type int8

// Physical types, by their numbers in the format.
const (
	Boolean   Type = 0
	Int32     Type = 1
	Int64     Type = 2
	Double    Type = 5
	ByteArray Type = 6
)

func (t Type) String() string {
	names := []string{"boolean", "int32", "int64", "int96", "float", "double", "byte array", "fixed bytes"}
	if t < 0 || int(t) >= len(names) {
		return fmt.Sprintf("type %d", int8(t))
	}
	return names[t]
}

// Unit is what an Int64 that is a time counts.
type Unit int8

// Units of times.
const (
	NoTime Unit = iota
	Milliseconds
	Microseconds
	Nanoseconds
)

// Column is a column of a file.
type Column struct {
	Name string
	Type Type
	Unit Unit // of times since 1970
}

const (
	// maxFooter bounds the description of a file: that of a table with 70 columns
	// takes 15 KB and 20 KB more for each million rows.
	maxFooter = 8 << 20
	// maxColumns and maxGroups bound what a description may list.
	maxColumns = 1024
	maxGroups  = 4096
	// maxRows is more than ten minutes of any host have.
	maxRows = 1 << 28
)

const (
	codecPlain = 0
	codecZstd  = 6
)

// File is what the end of a file says of it.
type File struct {
	Columns []Column
	Rows    int64

	from   io.ReaderAt
	size   int64
	groups []group
}

// group is a row group: all columns of some rows.
type group struct {
	rows   int64
	chunks []chunk
}

// chunk is one column of a row group.
type chunk struct {
	kind     Type
	codec    int64
	values   int64
	from, to int64 // of its pages in the file
}

// Open reads the description of a file, and checks all that it claims against
// the file's size and the shapes that rtrail writes.
func Open(from io.ReaderAt, size int64) (*File, error) {
	const ends = 12 // magic, length, magic
	var tail [8]byte
	if size < ends {
		return nil, errors.New("not a whole Parquet file")
	}
	if _, err := from.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) != "PAR1" || length > size-ends:
		return nil, errors.New("not a whole Parquet file: its end is missing")
	case length > maxFooter:
		return nil, fmt.Errorf("its description takes %d bytes, more than any of rtrail", length)
	}
	footer := make([]byte, length)
	if _, err := from.ReadAt(footer, size-int64(len(tail))-length); err != nil {
		return nil, err
	}
	f := &File{from: from, size: size - int64(len(tail)) - length}
	c := &compact{b: footer}
	f.metadata(c)
	if c.err != nil {
		return nil, c.err
	}
	return f, f.check()
}

func (f *File) metadata(c *compact) {
	leaves := int64(0)
	c.fields(func(id int64, kind byte) {
		switch {
		case id == 2 && kind == typeList:
			n := 0
			c.list(func(kind byte) {
				if kind != typeStruct || n > maxColumns {
					c.fail(errors.New("it has more columns than any file of rtrail"))
					return
				}
				if n++; n == 1 {
					leaves = c.root()
					return
				}
				f.Columns = append(f.Columns, c.column())
			})
		case id == 3 && kind == typeI64:
			f.Rows = c.int()
		case id == 4 && kind == typeList:
			c.list(func(kind byte) {
				if kind != typeStruct || len(f.groups) >= maxGroups {
					c.fail(errors.New("it has more groups of rows than any file of rtrail"))
					return
				}
				f.groups = append(f.groups, c.group())
			})
		default:
			c.skip(kind)
		}
	})
	if c.err == nil && leaves != int64(len(f.Columns)) {
		c.fail(errors.New("its columns are not those of a flat table"))
	}
}

// root reads the first element of the schema, which tells how many follow.
func (c *compact) root() (children int64) {
	c.fields(func(id int64, kind byte) {
		if id == 5 && kind == typeI32 {
			children = c.int()
			return
		}
		c.skip(kind)
	})
	return children
}

// column reads a leaf of the schema.
func (c *compact) column() (col Column) {
	col.Type = -1
	required := false
	c.fields(func(id int64, kind byte) {
		switch {
		case id == 1 && kind == typeI32:
			col.Type = Type(c.int())
		case id == 3 && kind == typeI32:
			required = c.int() == 0
		case id == 4 && kind == typeBinary:
			col.Name = string(c.bytes())
		case id == 5 && kind == typeI32:
			if c.int() > 0 {
				c.fail(errors.New("it has columns within columns"))
			}
		case id == 10 && kind == typeStruct:
			col.Unit = c.unit()
		default:
			c.skip(kind)
		}
	})
	if c.err == nil && !required {
		c.fail(fmt.Errorf("column %.64q may be null or repeated, which no column of rtrail is", col.Name))
	}
	return col
}

// unit reads a logical type: the field of the union that is set tells which.
func (c *compact) unit() (u Unit) {
	const timestamp = 8
	c.fields(func(id int64, kind byte) {
		if id != timestamp || kind != typeStruct {
			c.skip(kind)
			return
		}
		c.fields(func(id int64, kind byte) {
			if id != 2 || kind != typeStruct {
				c.skip(kind)
				return
			}
			c.fields(func(id int64, kind byte) {
				u = Unit(min(max(id, 0), int64(Nanoseconds)))
				c.skip(kind)
			})
		})
	})
	return u
}

func (c *compact) group() (g group) {
	c.fields(func(id int64, kind byte) {
		switch {
		case id == 1 && kind == typeList:
			c.list(func(kind byte) {
				if kind != typeStruct || len(g.chunks) >= maxColumns {
					c.fail(errors.New("it has more columns than any file of rtrail"))
					return
				}
				g.chunks = append(g.chunks, c.chunk())
			})
		case id == 3 && kind == typeI64:
			g.rows = c.int()
		default:
			c.skip(kind)
		}
	})
	return g
}

func (c *compact) chunk() (k chunk) {
	var data, dictionary, length int64
	c.fields(func(id int64, kind byte) {
		if id != 3 || kind != typeStruct {
			c.skip(kind)
			return
		}
		c.fields(func(id int64, kind byte) {
			switch {
			case id == 1 && kind == typeI32:
				k.kind = Type(c.int())
			case id == 4 && kind == typeI32:
				k.codec = c.int()
			case id == 5 && kind == typeI64:
				k.values = c.int()
			case id == 7 && kind == typeI64:
				length = c.int()
			case id == 9 && kind == typeI64:
				data = c.int()
			case id == 11 && kind == typeI64:
				dictionary = c.int()
			default:
				c.skip(kind)
			}
		})
	})
	if k.from = data; dictionary > 0 && dictionary < data {
		k.from = dictionary
	}
	// Lengths are compared before they are added: both may be anything.
	if k.from < 0 || length < 0 || length > 1<<62-k.from {
		c.fail(errors.New("a column lies outside of it"))
	}
	k.to = k.from + length
	return k
}

// check compares what the parts of the description say of each other.
func (f *File) check() error {
	rows := int64(0)
	for i := range f.groups {
		g := &f.groups[i]
		if len(g.chunks) != len(f.Columns) {
			return errors.New("a group of rows lacks columns")
		}
		if g.rows < 0 || g.rows > maxRows-rows {
			return errors.New("it claims more rows than any file of rtrail has")
		}
		rows += g.rows
		for j := range g.chunks {
			k, col := &g.chunks[j], &f.Columns[j]
			switch {
			case k.kind != col.Type:
				return fmt.Errorf("column %.64q has two types", col.Name)
			case k.codec != codecZstd && k.codec != codecPlain:
				return fmt.Errorf("column %.64q is compressed in another way than rtrail does", col.Name)
			case k.values != g.rows:
				return fmt.Errorf("column %.64q has %d values in %d rows", col.Name, k.values, g.rows)
			case k.from < 4 || k.to > f.size:
				return fmt.Errorf("column %.64q lies outside of the file", col.Name)
			}
		}
	}
	if f.Rows != rows {
		return fmt.Errorf("it claims %d rows, its groups have %d", f.Rows, rows)
	}
	seen := make([]string, len(f.Columns))
	for i, col := range f.Columns {
		seen[i] = col.Name
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != len(f.Columns) {
		return errors.New("two of its columns have one name")
	}
	return nil
}
