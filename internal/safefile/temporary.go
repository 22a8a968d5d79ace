package safefile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Temporary is a file that is being written under a name of its own.
type Temporary struct {
	*os.File
	dir  *Dir
	name string
}

// temporaries are those of this process, for an exit that unwinds nothing.
var temporaries = registry{files: map[*Temporary]bool{}}

type registry struct {
	mu     sync.Mutex
	files  map[*Temporary]bool
	ending bool
}

// Temporary makes a new file. It ends by Place or Discard, or where neither is
// reached by RemoveTemporaries; until then the directory must stay open.
func (d *Dir) Temporary(name string, mode fs.FileMode) (*Temporary, error) {
	f, err := d.Create(name, mode)
	if err != nil {
		return nil, err
	}
	t := &Temporary{f, d, name}
	temporaries.mu.Lock()
	ending := temporaries.ending
	temporaries.files[t] = true
	temporaries.mu.Unlock()
	if ending {
		return nil, errors.Join(errors.New("the program is ending"), t.Discard())
	}
	return t, nil
}

// Place closes the file and gives it its name. On an error it is removed.
func (t *Temporary) Place(name string) error {
	err := t.Close()
	if err == nil {
		err = t.dir.Rename(t.name, t.dir, name)
	}
	if err != nil {
		return errors.Join(err, t.remove())
	}
	t.forget()
	return nil
}

// Discard closes the file and removes it.
func (t *Temporary) Discard() error { return errors.Join(t.Close(), t.remove()) }

func (t *Temporary) remove() error {
	defer t.forget()
	return t.dir.Remove(t.name)
}

func (t *Temporary) forget() {
	temporaries.mu.Lock()
	defer temporaries.mu.Unlock()
	delete(temporaries.files, t)
}

// RemoveTemporaries removes the temporary files of this process, which makes no
// new ones from then on: it is called before an exit that does not unwind. A
// filesystem that does not answer must not keep the program from ending, so it
// takes no longer than the limit.
func RemoveTemporaries(limit time.Duration) {
	temporaries.mu.Lock()
	temporaries.ending = true
	var each sync.WaitGroup
	for t := range temporaries.files {
		each.Go(func() { _ = t.dir.Remove(t.name) }) // what cannot be removed stays
	}
	temporaries.mu.Unlock()
	done := make(chan struct{})
	go func() {
		each.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
