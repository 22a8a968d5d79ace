package flame

import (
	"encoding/json"
	"fmt"
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
	trees := Graphs(p, 0, 1)
	if len(trees) != 2 || trees[0].Root.Count != 5 || trees[1].Root.Count != 10 {
		t.Fatalf("%d trees", len(trees))
	}
	work := trees[0].Root.Children[0].Children[0]
	if work.Name != "work" || work.Count != 5 || len(work.Children) != 2 {
		t.Errorf("busy threads: %+v", work)
	}
	if small := Graphs(p, 0.9, 1)[0].Root.Children[0].Children[0]; len(small.Children) != 1 || small.Children[0].Count != 5 {
		t.Errorf("small frames together: %+v", small.Children[0])
	}
}

// However many different stacks there are, what the graphs take on a page is bounded, and each count
// is in them once; the largest are told.
func TestSize(t *testing.T) {
	p := &stack.Profile{}
	for n := range 2000 {
		s := &stack.Stack{Kind: "dump", Count: 1}
		for depth := range 30 {
			s.Frames = append(s.Frames, fmt.Sprintf("std::vector<int&>::f_%d_%d", n, depth))
		}
		p.Stacks = append(p.Stacks, s)
	}
	p.Stacks = append(p.Stacks, &stack.Stack{Kind: "dump", Frames: []string{"hot", "main"}, Count: 3000})
	if b, err := json.Marshal(Graphs(p, 0, 8)); err != nil || len(b) > maxSize/8*5/4 {
		t.Errorf("%d bytes of one of 8 profiles, %v", len(b), err)
	}
	list := Graphs(p, 0, 1)
	b, err := json.Marshal(list)
	if err != nil || len(b) > maxSize*5/4 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	for _, g := range list {
		var sum int64
		names := map[string]int64{}
		for _, c := range g.Root.Children {
			sum += c.Count
			names[c.Name] = c.Count
		}
		if g.Root.Count != 5000 || sum != 5000 || names["main"] != 3000 {
			t.Errorf("%s: %d of %d, %v", g.Title, sum, g.Root.Count, names)
		}
	}
}
