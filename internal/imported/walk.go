package imported

import (
	"encoding/json"
	"errors"
)

// deepest is how many objects and lists of JSON may stand in each other above what is read.
const deepest = 8

// walk goes through JSON token by token until its first value ends. word is called for each
// that opens and closes nothing, may take more off the decoder, and ends the walk.
func walk(d *json.Decoder, word func(json.Token) (done bool, err error)) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > deepest {
				return errors.New("it is nested too deeply")
			}
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth <= 0 {
				return nil
			}
		default:
			if done, err := word(token); done || err != nil {
				return err
			}
		}
	}
}
