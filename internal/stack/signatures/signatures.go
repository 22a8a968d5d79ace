// Package signatures is the dictionary of known waits: which sequence of
// frames means what, in which versions, and what to do about it.
//
// The dictionary is data, the YAML files beside this one. docs/stacks.md says
// how to add an entry.
package signatures

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Kind is what a thread with such a stack is doing.
type Kind string

// The kinds. Threads that are Idle wait for work, not for somebody: they are
// left out when shares of busy threads are counted.
const (
	Idle    Kind = "idle"
	Lock    Kind = "lock"    // waits until another thread gives something back
	CPU     Kind = "cpu"     // computes, or spins
	Disk    Kind = "disk"    // waits for a disk
	Network Kind = "network" // waits for a peer
	Sleep   Kind = "sleep"   // sleeps because a statement or a program says so
	Failure Kind = "failure" // deals with an error
)

var kinds = []Kind{Idle, Lock, CPU, Disk, Network, Sleep, Failure}

// Signature is one known wait.
type Signature struct {
	ID       string   `yaml:"id"`       // "mysql/table-cache-mutex"
	Title    string   `yaml:"title"`    // in a few words, for a line of a table
	Kind     Kind     `yaml:"kind"`     // what the thread does
	Frames   []string `yaml:"frames"`   // patterns, one of which must match; may be left out if there are states
	States   []string `yaml:"states"`   // if there are any: the thread's state begins with one of them
	Fallback bool     `yaml:"fallback"` // tried after all others: a general case
	Meaning  string   `yaml:"meaning"`  // what goes on
	Versions string   `yaml:"versions"` // where it is found; "" everywhere
	Act      string   `yaml:"act"`      // what to do or look at next; "" for idle threads

	patterns []pattern
}

// Dictionary is a list of signatures in the order in which they are tried.
type Dictionary struct {
	list  []*Signature
	place map[string]int      // of a step, by its text
	plain map[string][]placed // names without asterisks, by their text
	rest  [256][]placed       // the others, by their first letter; 0: they begin with an asterisk

	mu    sync.RWMutex
	known map[string]fitting // of frames
}

// placed is a name, and the step that it is of.
type placed struct {
	name
	place int
}

//go:embed *.yaml
var files embed.FS

// Default is the dictionary that comes with rtrail.
var Default = sync.OnceValue(func() *Dictionary {
	d, err := Load(files)
	if err != nil {
		// The files are part of the program, and a test loads them.
		panic(err)
	}
	return d
})

// Load reads all YAML files of a folder, in the order of their names.
func Load(dir fs.FS) (*Dictionary, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	d := &Dictionary{}
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		if err := d.add(data); err != nil {
			return nil, fmt.Errorf("reading signatures %s: %w", name, err)
		}
	}
	slices.SortStableFunc(d.list, func(a, b *Signature) int {
		switch {
		case a.Fallback == b.Fallback:
			return 0
		case b.Fallback:
			return -1
		}
		return 1
	})
	return d, nil
}

func (d *Dictionary) add(data []byte) error {
	in := yaml.NewDecoder(bytes.NewReader(data))
	in.KnownFields(true)
	var list []*Signature
	if err := in.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for i, s := range list {
		if err := d.check(s); err != nil {
			return fmt.Errorf("entry %d (%s): %w", i+1, s.ID, err)
		}
		d.list = append(d.list, s)
	}
	return nil
}

// check refuses what would never match or could not be explained.
func (d *Dictionary) check(s *Signature) error {
	switch {
	case s.ID == "" || s.Title == "" || s.Meaning == "":
		return errors.New("id, title and meaning are required")
	case !slices.Contains(kinds, s.Kind):
		return fmt.Errorf("kind %q is none of %v", s.Kind, kinds)
	case len(s.Frames) == 0 && len(s.States) == 0:
		return errors.New("frames or states are required")
	case s.Kind != Idle && s.Act == "":
		return errors.New("act is required unless the kind is idle")
	case d.ByID(s.ID) != nil:
		return errors.New("the id is there twice")
	}
	for _, text := range s.Frames {
		p, err := compile(text)
		if err != nil {
			return err
		}
		d.enter(&p)
		s.patterns = append(s.patterns, p)
	}
	return nil
}

// All lists the signatures in the order in which they are tried.
func (d *Dictionary) All() []*Signature { return d.list }

// ByID finds a signature; nil when there is none.
func (d *Dictionary) ByID(id string) *Signature {
	for _, s := range d.list {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Match returns the first signature that a stack fits, nil for none. Frames are
// innermost first; names are as debuggers print them.
func (d *Dictionary) Match(frames []string, state string) *Signature {
	fit, any := make([]fitting, len(frames)), make(fitting, d.words())
	for i, f := range frames {
		fit[i] = d.fitting(f)
		for w, bits := range fit[i] {
			any[w] |= bits
		}
	}
	for _, s := range d.list {
		if s.fits(fit, any, state) {
			return s
		}
	}
	return nil
}

// enter gives the steps of a pattern their places.
func (d *Dictionary) enter(p *pattern) {
	for i := range p.steps {
		s := &p.steps[i]
		text := fmt.Sprintf("%#v", s.names)
		at, known := d.place[text]
		if !known {
			if d.place == nil {
				d.place, d.plain = map[string]int{}, map[string][]placed{}
			}
			at = len(d.place)
			d.place[text] = at
			for _, n := range s.names {
				if len(n.parts) == 1 {
					d.plain[n.parts[0]] = append(d.plain[n.parts[0]], placed{n, at})
				} else {
					first := byte(0)
					if n.parts[0] != "" {
						first = n.parts[0][0]
					}
					d.rest[first] = append(d.rest[first], placed{n, at})
				}
			}
		}
		s.place = at
	}
}

func (d *Dictionary) words() int { return (len(d.place) + 63) / 64 }

// maxKnown bounds the frames whose steps are remembered: more than the programs
// have that anybody takes stacks of.
const maxKnown = 1 << 17

// fitting finds the steps that a frame fits, once.
func (d *Dictionary) fitting(frame string) fitting {
	d.mu.RLock()
	f, ok := d.known[frame]
	d.mu.RUnlock()
	if ok {
		return f
	}
	f = make(fitting, d.words())
	function := Bare(frame)
	for at := range len(function) {
		if at > 0 && strings.IndexByte(".:/", function[at-1]) < 0 {
			continue
		}
		rest := function[at:]
		if at == 0 || separated(function[:at]) {
			for _, n := range d.plain[rest] {
				if at == 0 || !n.whole {
					f.set(n.place)
				}
			}
		}
		for _, list := range [][]placed{d.rest[0], d.rest[rest[0]]} {
			for _, n := range list {
				if (at == 0 || !n.whole) && n.fitsHere(rest) {
					f.set(n.place)
				}
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxKnown {
		d.known = map[string]fitting{}
	}
	d.known[strings.Clone(frame)] = f
	return f
}

// fits says whether a stack has the signature; any is what its frames fit
// together.
func (s *Signature) fits(frames []fitting, any fitting, state string) bool {
	if len(s.States) > 0 && !slices.ContainsFunc(s.States, func(p string) bool { return strings.HasPrefix(state, p) }) {
		return false
	}
	if len(s.patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(s.patterns, func(p pattern) bool {
		for _, step := range p.steps {
			if !any.has(step.place) {
				return false
			}
		}
		return p.match(frames)
	})
}
