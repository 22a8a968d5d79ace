package golden

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fits wants a document in JSON that a schema describes, which needs no other one.
func Fits(t testing.TB, schema string, document []byte) {
	t.Helper()
	text, err := os.ReadFile(schema)
	if err != nil {
		t.Fatal(err)
	}
	form, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const id = "urn:rtrail:golden"
	if err := c.AddResource(id, form); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	compiled, err := c.Compile(id)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Error(err)
	}
}
