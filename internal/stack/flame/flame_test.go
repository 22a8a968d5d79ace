package flame

import (
	"testing"

	"rtrail/internal/stack"
)

// The graphs hold every stack once.
func TestGraphs(t *testing.T) {
	p := &stack.Profile{Stacks: []*stack.Stack{
		{Kind: "dump", Frames: []string{"poll", "vio_io_wait", "vio_read", "my_net_read", "do_command"}, Count: 5},
		{Kind: "dump", Frames: []string{"</script><script>alert(1)</script>", "work", "main"}, Count: 3},
		{Kind: "dump", Frames: []string{"other", "work", "main"}, Count: 2},
	}}
	trees := Graphs(p, 0)
	if len(trees) != 2 || trees[0].Root.Count != 5 || trees[1].Root.Count != 10 {
		t.Fatalf("%d trees", len(trees))
	}
	work := trees[0].Root.Children[0].Children[0]
	if work.Name != "work" || work.Count != 5 || len(work.Children) != 2 {
		t.Errorf("busy threads: %+v", work)
	}
	if small := Graphs(p, 0.9)[0].Root.Children[0].Children[0]; len(small.Children) != 1 || small.Children[0].Count != 5 {
		t.Errorf("small frames together: %+v", small.Children[0])
	}
}
