package document

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"slices"
	"strings"

	"rtrail/internal/escape"
)

// HTMLOptions are what a page has beside its document. All but Data is part of the
// program, and stands in the page as it is.
type HTMLOptions struct {
	Style   string // beside that of all pages
	Licence string // of what Style and Scripts hold of others
	Scripts []string
	Data    any // for the scripts: the JSON of the element "data"
}

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"kind":  kindOf,
	"facts": func(f Facts) []string { return append([]string{f.Lead}, f.Items...) },
	"class": func(c Column) string {
		switch {
		case c.Right:
			return "number"
		case c.Cut || c.Wrap:
			return "long"
		}
		return "word"
	},
}).Parse(pageSource))

// HTML writes a document as one file that needs no network to be read.
func HTML(w io.Writer, d Document, o HTMLOptions) error {
	var tail strings.Builder
	if o.Data != nil {
		text, err := AppendJSON(nil, o.Data)
		if err != nil {
			return err
		}
		var data bytes.Buffer
		json.HTMLEscape(&data, text) // nothing in it ends the element
		tail.WriteString(`<script id="data" type="application/json">` + data.String() + "</script>\n")
	}
	style := pageStyle + o.Style
	for _, s := range o.Scripts {
		tail.WriteString("<script>" + s + "</script>\n")
	}
	licence := ""
	if o.Licence != "" {
		licence = "<!--\n" + o.Licence + "\n-->"
	}
	blocks := slices.Clone(d.Blocks)
	for i, b := range blocks {
		if c, ok := b.(Chains); ok {
			blocks[i] = c.list()
		}
	}
	out := escape.NewWriter(w)
	if err := pageTemplate.Execute(out, map[string]any{
		"Title": d.Title, "Blocks": blocks, "Policy": policy(style, o.Scripts), "Style": template.CSS(style), "Licence": template.HTML(licence), "Tail": template.HTML(tail.String()),
	}); err != nil {
		return err
	}
	return out.Flush()
}

// policy lets a page have its own style and scripts, and nothing else: no request, no
// frame, no code in an attribute.
func policy(style string, scripts []string) string {
	var hashes strings.Builder
	for _, s := range scripts {
		hashes.WriteString(hash(s))
	}
	if len(scripts) == 0 {
		hashes.WriteString(" 'none'")
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src" + hash(style) + "; script-src" + hashes.String()
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
