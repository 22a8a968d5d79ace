package mysql

import "unique"

// Bounds of the statements that are remembered for a connection. MySQL allows
// 16,382 on a whole server by default (max_prepared_stmt_count); an application
// that uses more than these on one connection loses the texts of the oldest.
const (
	maxPrepared      = 256
	maxPreparedBytes = 128 << 10
)

// statement is the text of a prepared statement, shared by all connections that
// prepared it.
type statement struct {
	text unique.Handle[string]
	cut  bool
}

var none unique.Handle[string]

func (s statement) bytes() []byte {
	if s.text == none {
		return nil
	}
	return bytesOf(s.text.Value())
}

// prepared is the statements of a connection.
type prepared struct {
	byID  map[uint32]statement
	bytes int
	last  statement // of the latest Prepare that was answered, for MariaDB's Execute of id -1
}

// lastID in an Execute means the statement prepared last (MariaDB).
const lastID = 0xffffffff

func (p *prepared) get(id uint32) statement {
	if p == nil {
		return statement{}
	}
	if id == lastID {
		return p.last
	}
	return p.byID[id]
}

func (p *prepared) put(id uint32, s statement) {
	p.drop(id)
	n := len(s.text.Value())
	for len(p.byID) >= maxPrepared || len(p.byID) > 0 && p.bytes+n > maxPreparedBytes {
		oldest := id
		for k := range p.byID { // identifiers of a connection grow
			oldest = min(oldest, k)
		}
		if oldest == id {
			for k := range p.byID {
				oldest = k
				break
			}
		}
		p.drop(oldest)
	}
	if p.byID == nil {
		p.byID = map[uint32]statement{}
	}
	p.byID[id] = s
	p.bytes += n
}

func (p *prepared) drop(id uint32) {
	if p == nil {
		return
	}
	if old, ok := p.byID[id]; ok {
		p.bytes -= len(old.text.Value())
		delete(p.byID, id)
	}
}
