package mongodb

import (
	"rtrail/internal/packet/flow"
)

// Places in requests and answers that are looked into.
const (
	asked     place = iota + 1 // a command
	queried                    // the filter of an older query
	pipeline                   // of aggregate
	stage                      // the first of a pipeline
	explained                  // the command that explain is for
	answered                   // an answer
	cursor                     // of an answer
	documents                  // of a batch, which are counted
	writeErrors
	firstError // of these, or of the write concern
)

// enter says which documents are looked into.
func (m *message) enter(at place, index int, name []byte) place {
	switch at {
	case asked:
		if index == 0 {
			switch string(name) {
			case "$query", "query": // around a command of older drivers
				return asked
			case "explain":
				m.command = "explain"
				return explained
			}
			m.named(name)
			return 0
		}
		if string(name) == "pipeline" && m.command == "aggregate" {
			return pipeline
		}
	case pipeline:
		if index == 0 {
			return stage
		}
	case stage:
		m.watches = m.watches || index == 0 && string(name) == "$changeStream"
	case answered:
		switch string(name) {
		case "cursor":
			return cursor
		case "values":
			return documents
		case "writeErrors":
			return writeErrors
		case "writeConcernError":
			m.writeFailed = true
			return firstError
		}
	case cursor:
		switch string(name) {
		case "firstBatch", "nextBatch":
			return documents
		case "postBatchResumeToken":
			m.resumable = true
		}
	case writeErrors:
		m.writeFailed = true
		if index == 0 {
			return firstError
		}
	}
	return 0
}

// wants says which values are kept.
func (m *message) wants(at place, index int, name []byte, kind byte) bool {
	switch at {
	case asked, explained:
		if index == 0 {
			if at == asked {
				m.named(name)
			}
			return ofCollection[string(name)] && kind == typeString || string(name) == "getMore" && kind == typeInt64
		}
		switch string(name) {
		case "$db", "collection":
			return kind == typeString
		case "maxTimeMS", "maxAwaitTimeMS", "awaitData":
			return kind != typeString
		}
	case answered, firstError:
		switch string(name) {
		case "codeName", "errmsg", "$err":
			return kind == typeString
		case "ok", "code", "n":
			return kind != typeString
		}
	case cursor:
		return string(name) == "id" && kind == typeInt64
	}
	return false
}

// value takes a value that is wanted.
func (m *message) value(at place, index int, name []byte, kind byte, value []byte) {
	if at == asked || at == explained {
		m.asked(index, name, kind, value)
		return
	}
	switch string(name) {
	case "id":
		m.cursor = number(kind, value)
	case "ok":
		m.known, m.ok = true, number(kind, value) != 0
	case "n":
		m.n, m.counted = number(kind, value), true
	case "code":
		if m.code == 0 {
			m.code = number(kind, value)
		}
	case "codeName":
		if len(m.codeName) == 0 && len(value) <= maxCode {
			m.codeName = append(m.codeName, value...)
		}
	case "$err": // of an older answer
		m.failed = true
		m.text = append(m.text[:0], value...)
	case "errmsg":
		if len(m.text) == 0 {
			m.text = append(m.text, value...)
		}
	}
}

// asked takes a value of a command.
func (m *message) asked(index int, name []byte, kind byte, value []byte) {
	switch {
	case index == 0 && string(name) == "getMore":
		m.cursor = number(kind, value)
	case index == 0:
		m.coll = append(m.coll[:0], value...)
	case string(name) == "$db":
		m.db = append(m.db[:0], value...)
	case string(name) == "collection":
		if m.command == "getMore" {
			m.coll = append(m.coll[:0], value...)
		}
	case string(name) == "maxTimeMS":
		m.limited = number(kind, value) > 0
	case string(name) == "maxAwaitTimeMS":
		m.awaits = number(kind, value) > 0
	case string(name) == "awaitData":
		m.tails = number(kind, value) != 0
	}
}

// leave counts what was in a document.
func (m *message) leave(at place, count int) {
	if at == documents && m.dir == flow.ToClient {
		m.batches++
		m.batch += int64(count)
	}
}

// named takes the name of a command: its first field.
func (m *message) named(name []byte) {
	if m.command != "" {
		return
	}
	if known, ok := commands[string(name)]; ok {
		m.command = known
		return
	}
	m.command = strangeName(name)
}

// strangeName is the name of a command that is not in the list, if it looks like one.
func strangeName(name []byte) string {
	if len(name) == 0 || len(name) >= maxName {
		return "?"
	}
	for i, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && (i > 0 || c != '$') {
			return "?"
		}
	}
	return string(name)
}
