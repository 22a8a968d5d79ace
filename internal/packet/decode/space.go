package decode

import (
	"fmt"
	"sync"

	"rtrail/internal/packet/flow"
)

// spaceKind is what tells one network from another.
type spaceKind uint8

const (
	byVLAN spaceKind = iota
	byVXLAN
	byGeneve
	byGRE
	byNVGRE
	byInterface
	byIndex
	byOther
)

var spaceKinds = [...]string{"vlan", "vxlan", "geneve", "gre key", "nvgre", "interface", "interface index", "other"}

// spaceKey is a network inside another one: a VLAN in a VLAN, a tunnel in a VLAN...
type spaceKey struct {
	outer flow.Space
	value uint32
	kind  spaceKind
}

// maxSpaces bounds the numbers given out, since packets say what they like:
// 4,096 VLANs with 16 tunnels each. Networks beyond it share one Space.
const maxSpaces = 1 << 16

// Spaces numbers networks. It may be used by several goroutines.
type Spaces struct {
	mu    sync.Mutex
	byKey map[spaceKey]flow.Space
	keys  []spaceKey // by Space
}

// NewSpaces makes an empty table.
func NewSpaces() *Spaces {
	return &Spaces{byKey: map[spaceKey]flow.Space{}, keys: make([]spaceKey, 1)}
}

func (s *Spaces) number(k spaceKey) flow.Space {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.byKey[k]; ok {
		return n
	}
	if len(s.keys) >= maxSpaces {
		k = spaceKey{kind: byOther}
		if n, ok := s.byKey[k]; ok {
			return n
		}
	}
	n := flow.Space(len(s.keys))
	s.keys = append(s.keys, k)
	s.byKey[k] = n
	return n
}

// Name says what a Space is in words, the outermost network first; "" is the
// plain network, and what is not known.
func (s *Spaces) Name(n flow.Space) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := ""
	for n != 0 && int(n) < len(s.keys) {
		k := s.keys[n]
		part := fmt.Sprintf("%s %d", spaceKinds[k.kind], k.value)
		if k.kind == byOther {
			part = spaceKinds[k.kind]
		}
		if name != "" {
			part += ", " + name
		}
		name, n = part, k.outer
	}
	return name
}

// knownSpaces is how many networks a decoder remembers to spare the lock. A
// power of two; captures rarely hold more than a few dozen.
const knownSpaces = 64

type knownSpace struct {
	key   spaceKey
	space flow.Space // 0: empty
}

// space numbers a network inside another one.
func (d *Decoder) space(outer flow.Space, kind spaceKind, value uint32) flow.Space {
	k := spaceKey{outer: outer, value: value, kind: kind}
	e := &d.known[(value^uint32(outer)*31^uint32(kind)*7)%knownSpaces]
	if e.space == 0 || e.key != k {
		*e = knownSpace{key: k, space: d.spaces.number(k)}
	}
	return e.space
}
