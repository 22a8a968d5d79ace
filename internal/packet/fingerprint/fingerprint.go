// Package fingerprint words what a request asked for without what it asked it
// with: statements without literals, paths without identifiers, keys without
// numbers. Requests that differ in literals only have the same fingerprint, and
// no fingerprint holds a literal. Keywords of SQL are upper case, however they
// were typed; names keep their case.
//
// A statement is read up to three times. A scan that costs about a nanosecond
// per byte takes the literals out, and what is left, the skeleton, is looked up.
// If it is not known, a thorough scan makes the shape: every literal, comment and
// superfluous space is gone, and lists of literals are one. Shapes not known
// either are laid out by go-sqllexer, which so never sees a literal.
package fingerprint

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/DataDog/go-sqllexer"

	"rtrail/internal/protocol"
)

const (
	// cacheBytes bounds the shapes and fingerprints one maker remembers. A large
	// application has some thousands of different statements of a few hundred
	// bytes.
	cacheBytes = 8 << 20

	// Texts of this length are looked up as they are before they are scanned:
	// below, scanning costs no more than comparing; above, they are seldom equal.
	recentFrom, recentTo = 160, 2048
	recents              = 128 // so many of them: at most 256 KB
)

// Maker makes fingerprints and remembers those it made. It is used by one
// goroutine.
type Maker struct {
	shape      shape
	young, old map[string]string // by skeleton and by shape
	youngBytes int
	recent     [recents]recent
	seed       maphash.Seed
	protocol   string // the last one, and its traits
	traits     *protocol.Traits
	normalizer *sqllexer.Normalizer
}

// recent is a text and what became of it.
type recent struct {
	text              []byte
	protocol, command string
	cut               bool
	result            string
}

// New makes a maker.
func New() *Maker {
	return &Maker{
		young:  map[string]string{},
		seed:   maphash.MakeSeed(),
		traits: protocol.Of(""),
		normalizer: sqllexer.NewNormalizer(
			sqllexer.WithKeepSQLAlias(true),
			sqllexer.WithUppercaseKeywords(true),
			sqllexer.WithRemoveSpaceBetweenParentheses(true),
		),
	}
}

// Of is the fingerprint of a request: of a statement, a path, a key or a name,
// as the decoder of the protocol gives it. cut says that the text is only its
// beginning. A request without text has its command as fingerprint; one of a
// protocol whose text this package does not understand too.
func (m *Maker) Of(name, command string, text []byte, cut bool) string {
	if len(text) == 0 {
		return command
	}
	if len(text) < recentFrom || len(text) > recentTo {
		return m.of(name, command, text, cut)
	}
	r := &m.recent[maphash.Bytes(m.seed, text)%recents]
	if string(r.text) == string(text) && r.protocol == name && r.command == command && r.cut == cut {
		return r.result
	}
	result := m.of(name, command, text, cut)
	r.text = append(r.text[:0], text...)
	r.protocol, r.command, r.cut, r.result = name, strings.Clone(command), cut, result
	return result
}

func (m *Maker) of(name, command string, text []byte, cut bool) string {
	s := &m.shape
	if name != m.protocol {
		m.protocol, m.traits = name, protocol.Of(name)
	}
	summary := m.traits.Summary
	if command == "TLS" { // whatever is within: its text is the name of a server
		summary = protocol.Domain
	}
	switch summary {
	case protocol.MySQL:
		if !slices.Contains(m.traits.Names, command) {
			return m.statement(&mysql, command, text, cut)
		}
		s.named(command, ": ", text)
	case protocol.PostgreSQL:
		return m.statement(&postgres, command, text, cut)
	case protocol.CQL:
		return m.statement(&cql, command, text, cut)
	case protocol.TransactSQL:
		if !slices.Contains(m.traits.Names, command) {
			return m.statement(&transact, command, text, cut)
		}
		s.named(command, " ", text)
	case protocol.Path:
		s.path(command, text)
	case protocol.Key:
		s.key(command, text)
	case protocol.Domain:
		s.domain(command, text)
	case protocol.Name:
		s.named(command, " ", text)
	default:
		return command
	}
	if cut {
		s.out = append(s.out, dots...)
	}
	if known, ok := m.lookup(s.out); ok {
		return known
	}
	shaped := string(s.out)
	m.remember(shaped, shaped)
	return shaped
}

// dots stand for what is not shown.
const dots = "..."

// statement looks the shape of a statement up, and lays out what is new.
func (m *Maker) statement(d *dialect, command string, text []byte, cut bool) string {
	s := &m.shape
	var bare []byte
	if len(text) <= maxSkeleton && (command == "Query" || command == "Execute") {
		bare = s.skeleton(d, text, cut)
		if bare != nil {
			if known, ok := m.lookup(bare); ok {
				return known
			}
		}
	}
	result := m.laidOut(d, command, text, cut)
	if bare != nil {
		m.remember(string(bare), result)
	}
	return result
}

// laidOut is the fingerprint of a statement whose skeleton is not known.
func (m *Maker) laidOut(d *dialect, command string, text []byte, cut bool) string {
	s := &m.shape
	s.statement(d, command, text, cut)
	if known, ok := m.lookup(s.out); ok {
		return known
	}
	key := string(s.out)
	shaped, more := key[s.begin:], ""
	if strings.HasSuffix(shaped, dots) {
		shaped, more = shaped[:len(shaped)-len(dots)], dots
	}
	result, _, err := m.normalizer.Normalize(upperKeywords(d, shaped), sqllexer.WithDBMS(d.system))
	if err != nil {
		result = shaped
	}
	if more != "" {
		result = strings.TrimSpace(result + " " + more)
	}
	if s.begin > 2 {
		result = strings.TrimSuffix(command+": "+result, ": ")
	}
	if result == "" {
		result = command
	}
	result = strings.Clone(result)
	m.remember(key, result)
	return result
}

func (m *Maker) lookup(shape []byte) (string, bool) {
	if known, ok := m.young[string(shape)]; ok {
		return known, true
	}
	known, ok := m.old[string(shape)]
	if ok {
		m.remember(string(shape), known)
	}
	return known, ok
}

// remember keeps a shape. When half of the bound is used up, what was not asked
// for since the last time is forgotten.
func (m *Maker) remember(shape, result string) {
	const entry = 64 // of a map, beside the bytes
	if m.youngBytes > cacheBytes/2 {
		m.old, m.young, m.youngBytes = m.young, map[string]string{}, 0
	}
	m.young[shape] = result
	m.youngBytes += len(shape) + len(result) + entry
}
