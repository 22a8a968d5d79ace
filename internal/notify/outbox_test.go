package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/watch"
)

// receiver is a target that fails while broken says so, and notes what it took.
type receiver struct {
	mu     sync.Mutex
	broken error
	took   []string
	sent   int
	again  int
}

func (r *receiver) target(id string) *Target {
	return &Target{ID: id, Name: "test " + id, send: func(ctx context.Context, n *watch.Notice) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent++
		if r.broken != nil {
			return r.broken
		}
		r.took = append(r.took, n.Fault+" "+string(n.Event))
		return nil
	}}
}

func (r *receiver) is(broken error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = broken
}

func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.took...)
}

func (r *receiver) tries() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}

func notice(fault string, e watch.Event) watch.Notice {
	return watch.Notice{Event: e, At: time.Now(), Fault: fault, Times: 1, Host: "h", Key: watch.Key{Rule: "disk/full", Subject: "h/mount//"}, Since: time.Now()}
}

// warnings collects what an outbox says.
type warnings struct {
	mu   sync.Mutex
	list []string
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

func newOutbox(w *warnings) *Outbox { return &Outbox{Warn: w.add, Changed: func() {}} }

func TestOutboxTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good, bad := &receiver{}, &receiver{broken: errors.New("down")}
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{good.target("a"), bad.target("b")}, nil)
		o.Put([]watch.Notice{notice("f1", watch.Began)}, nil)
		time.Sleep(time.Hour)
		o.Put([]watch.Notice{notice("f1", watch.Ended)}, nil)
		time.Sleep(time.Second)
		want := []string{"f1 began", "f1 ended"}
		if diff := cmp.Diff(want, good.got()); diff != "" {
			t.Errorf("beside one that fails: %s", diff)
		}
		if n := bad.tries(); n < 10 || n > 30 {
			t.Errorf("tried %d times in an hour", n)
		}
		if n := len(o.Pending()["b"]); n != 2 || len(o.Pending()["a"]) != 0 {
			t.Errorf("pending: %v", o.Pending())
		}
		bad.is(nil)
		time.Sleep(lastPause)
		if diff := cmp.Diff(want, bad.got()); diff != "" {
			t.Error(diff)
		}
		if left := o.Close(time.Second); left != 0 {
			t.Errorf("%d left", left)
		}
		if diff := cmp.Diff([]string{"test b took no notice: down; it is tried again", "test b takes notices again, after"}, cutAfter(said.list)); diff != "" {
			t.Error(diff)
		}
	})
}

// cutAfter leaves out how long it took.
func cutAfter(list []string) (out []string) {
	for _, s := range list {
		head, _, found := strings.Cut(s, ", after ")
		if found {
			head += ", after"
		}
		out = append(out, head)
	}
	return out
}

// What is not delivered at the end is delivered by the next run, once.
func TestOutboxAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{broken: errors.New("down")}
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{r.target("a")}, nil)
		o.Put([]watch.Notice{notice("f1", watch.Began)}, nil)
		began := time.Now()
		time.Sleep(time.Minute)
		if left := o.Close(3 * time.Second); left != 1 || time.Since(began) > time.Minute+4*time.Second {
			t.Errorf("%d left after %v", left, time.Since(began))
		}
		r.is(nil)
		second := newOutbox(&said)
		second.Start([]*Target{r.target("a"), r.target("new")}, o.Pending())
		time.Sleep(time.Second)
		second.Close(time.Second)
		if diff := cmp.Diff([]string{"f1 began"}, r.got()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOutboxIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{broken: errors.New("down")}
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{r.target("a")}, nil)
		for i := range 3 * watch.MaxPending {
			o.Put([]watch.Notice{notice(fmt.Sprint(i), watch.Began)}, nil)
		}
		if n := len(o.Pending()["a"]); n != watch.MaxPending {
			t.Errorf("%d pending", n)
		}
		time.Sleep(tooOld + time.Hour)
		if n := len(o.Pending()["a"]); n != 0 {
			t.Errorf("%d pending after a day", n)
		}
		o.Close(time.Second)
	})
}

// A notice that a receiver will never take keeps no other one waiting.
func TestOutboxGivesUpWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{broken: &refusedError{errors.New("400")}}
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{r.target("a")}, nil)
		o.Put([]watch.Notice{notice("f1", watch.Began)}, nil)
		synctest.Wait()
		r.is(nil)
		o.Put([]watch.Notice{notice("f2", watch.Began)}, nil)
		synctest.Wait()
		o.Close(time.Second)
		if diff := cmp.Diff([]string{"f2 began"}, r.got()); diff != "" {
			t.Error(diff)
		}
	})
}

// A receiver that hangs delays neither notices nor the end.
func TestOutboxDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{{ID: "a", Name: "hangs", send: func(ctx context.Context, _ *watch.Notice) error { <-ctx.Done(); return ctx.Err() }}}, nil)
		began := time.Now()
		o.Put([]watch.Notice{notice("f1", watch.Began)}, nil)
		if time.Since(began) != 0 {
			t.Error("it waits")
		}
		time.Sleep(time.Second)
		if left := o.Close(3 * time.Second); left != 1 || time.Since(began) > 5*time.Second {
			t.Errorf("%d left after %v", left, time.Since(began))
		}
	})
}

// A panic of one receiver ends neither the run nor the receiver.
func TestOutboxSurvivesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said warnings
		calls := 0
		o := newOutbox(&said)
		o.Start([]*Target{{ID: "a", Name: "panics", send: func(context.Context, *watch.Notice) error {
			if calls++; calls == 1 {
				panic("bug")
			}
			return nil
		}}}, nil)
		o.Put([]watch.Notice{notice("f1", watch.Began)}, nil)
		time.Sleep(time.Minute)
		if left := o.Close(time.Second); left != 0 || calls != 2 || len(said.list) != 1 {
			t.Errorf("%d left, %d calls, %q", left, calls, said.list)
		}
	})
}

// What has to hear of faults again does, while they are there.
func TestOutboxRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		target := r.target("a")
		target.refresh = func(_ context.Context, open []watch.Notice) error { r.again += len(open); return nil }
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{target}, nil)
		n := notice("f1", watch.Began)
		o.Put([]watch.Notice{n}, []watch.Notice{n})
		time.Sleep(10*time.Minute + time.Second)
		o.Put([]watch.Notice{notice("f1", watch.Ended)}, nil)
		time.Sleep(10 * time.Minute)
		o.Close(time.Second)
		if r.again != 10 || len(r.got()) != 2 {
			t.Errorf("%d times again, %q", r.again, r.got())
		}
	})
}

// After a restart it hears with the first window of the faults that are still there, and then of those
// that are there each time.
func TestOutboxRefreshesAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		target := r.target("a")
		target.refresh = func(_ context.Context, open []watch.Notice) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, n := range open {
				r.took = append(r.took, n.Fault+" again")
			}
			return nil
		}
		var said warnings
		o := newOutbox(&said)
		o.Start([]*Target{target}, nil)
		f1, f2 := notice("f1", watch.Began), notice("f2", watch.Began)
		for _, open := range [][]watch.Notice{{f1}, {f1}, {f2}} {
			time.Sleep(10 * time.Second)
			o.Put(nil, open)
			synctest.Wait()
			if diff := cmp.Diff([]string{"f1 again"}, r.got()); diff != "" {
				t.Errorf("with the first window: %s", diff)
			}
		}
		time.Sleep(refreshEvery)
		o.Close(time.Second)
		if diff := cmp.Diff([]string{"f1 again", "f2 again"}, r.got()); diff != "" {
			t.Error(diff)
		}
	})
}
