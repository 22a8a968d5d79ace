package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"rtrail/internal/escape"
)

// All results in JSON are written here, by one set of conventions:
//
//   - keys are in snake case and name the unit where there is one: _ns, _s, _bytes,
//     _per_second, _pct; shares are 0 to 1;
//   - times of day are RFC 3339;
//   - what is not known, or not finite, is null, and an empty list is [];
//   - < > & stay; what is hidden, as controls and marks of direction, is \uXXXX.

// JSON writes a result as one indented document.
func JSON(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// JSONLine writes a result in a line of its own.
func JSONLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	b, err := encode(v, indent)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// AppendJSON appends a result without spaces or a new line.
func AppendJSON(b []byte, v any) ([]byte, error) {
	text, err := encode(v, "")
	return append(b, bytes.TrimSuffix(text, []byte("\n"))...), err
}

// AppendString appends a string as AppendJSON does, at once where nothing in it needs
// escaping.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			b, _ = AppendJSON(b, s) // a string can always be encoded
			return b
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(escape.NewWriter(&b))
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Number is a number in JSON: null if it is not known or not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler: null is NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	v := math.NaN()
	if string(b) != "null" {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	}
	*n = Number(v)
	return nil
}

// Object is an object of JSON whose keys keep their order.
type Object []Field

// Field is a key with its value.
type Field struct {
	Key   string
	Value any
}

// Add appends a field.
func (o *Object) Add(key string, value any) { *o = append(*o, Field{key, value}) }

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			b = append(b, ',')
		}
		for _, part := range []struct {
			value any
			end   string
		}{{f.Key, ":"}, {f.Value, ""}} {
			var err error
			if b, err = AppendJSON(b, part.value); err != nil {
				return nil, err
			}
			b = append(b, part.end...)
		}
	}
	return append(b, '}'), nil
}

// MarshalJSON implements json.Marshaler: every block says of which kind it is.
func (d Document) MarshalJSON() ([]byte, error) {
	type tagged struct {
		Kind  string `json:"kind"`
		Block Block  `json:"block"`
	}
	blocks := make([]tagged, len(d.Blocks))
	for i, b := range d.Blocks {
		blocks[i] = tagged{kindOf(b), b}
	}
	return AppendJSON(nil, Object{{"title", d.Title}, {"blocks", blocks}})
}

// kindOf is the name of a block's type.
func kindOf(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "document.") }
