package flame

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"rtrail/internal/stack"
)

// The page holds every stack once, and no name can end its script.
func TestWrite(t *testing.T) {
	p := &stack.Profile{Stacks: []*stack.Stack{
		{Kind: "dump", Frames: []string{"poll", "vio_io_wait", "vio_read", "my_net_read", "do_command"}, Count: 5},
		{Kind: "dump", Frames: []string{"</script><script>alert(1)</script>", "work", "main"}, Count: 3},
		{Kind: "dump", Frames: []string{"other", "work", "main"}, Count: 2},
	}}
	var out strings.Builder
	if err := Write(&out, "a <b> & c", p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "</script>"); n != 2 { // the data and the script
		t.Errorf("%d scripts end", n)
	}
	if !strings.Contains(out.String(), "<title>a &lt;b&gt; &amp; c – rtrail</title>") {
		t.Error("the title is not escaped")
	}
	m := regexp.MustCompile(`<script id="data" type="application/json">(.*)</script>`).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatal("no data in the page")
	}
	var trees []tree
	if err := json.Unmarshal([]byte(m[1]), &trees); err != nil {
		t.Fatal(err)
	}
	if len(trees) != 2 || trees[0].Root.Count != 5 || trees[1].Root.Count != 10 {
		t.Fatalf("%d trees", len(trees))
	}
	work := trees[0].Root.Children[0].Children[0]
	if work.Name != "work" || work.Count != 5 || len(work.Children) != 2 {
		t.Errorf("busy threads: %+v", work)
	}
}
