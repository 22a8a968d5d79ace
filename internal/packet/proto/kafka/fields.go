package kafka

import "rtrail/internal/packet/proto/framed"

// idBytes is the length of the id of a topic.
const idBytes = 16

// read reads a request from its correlation id on.
func (r *request) read(body []byte) {
	f := reader{Fields: framed.Fields{B: body}}
	r.id = uint32(f.int32())
	if r.key != 7 || r.version > 0 { // the first version of ControlledShutdown has no client
		f.text()
	}
	f.compact = r.version >= apis[r.key].flexible
	f.tags()
	switch r.key {
	case produce:
		r.produce(&f)
	case fetch:
		r.fetch(&f)
	case shareFetch:
		f.text() // group
		f.text() // member
		f.int32()
		r.waits = f.int32() > 0
	case joinGroup, syncGroup:
		r.waits = true
	}
	r.known = !f.Overread
}

// produce reads which acknowledgement is wanted, and for which topic.
func (r *request) produce(f *reader) {
	if r.version >= 3 {
		f.text() // transaction
	}
	r.silent = f.int16() == 0 && !f.Overread
	f.int32() // timeout
	r.topics(f, r.version >= 13)
}

// fetch reads how long the server may wait, and for which topic.
func (r *request) fetch(f *reader) {
	if r.version < 15 {
		f.int32() // replica
	}
	wait, least := f.int32(), f.int32()
	r.waits = wait > 0 && least > 0
	if r.version >= 3 {
		f.int32() // largest answer
	}
	if r.version >= 4 {
		f.Take(1) // isolation
	}
	if r.version >= 7 {
		f.Take(8) // session
	}
	r.topics(f, r.version >= 13)
}

// topics reads the name of the first topic.
func (r *request) topics(f *reader, byID bool) {
	n := f.list()
	if n == 0 || byID || f.Overread {
		return
	}
	name := f.text()
	if f.Overread || len(name) > maxText || !isTopic(name) {
		return
	}
	r.topic, r.more = append(r.topic[:0], name...), n > 1
}

// isTopic says whether a name has only what names of topics may have.
func isTopic(name []byte) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// outcome is the error code of an answer to a request of a key and version, from
// behind its correlation id on; 0: none, or none that is near.
func outcome(key, version int16, body []byte) int16 {
	f := reader{Fields: framed.Fields{B: body}}
	if key != apiVersions { // its answer may tell that the version is not known
		f.compact = version >= apis[key].flexible
		f.tags()
	}
	if from, ok := throttled[key]; ok && version >= from {
		f.int32()
	}
	switch key {
	case saslHandshake, apiVersions, saslAuthenticate, joinGroup, syncGroup, heartbeat, leaveGroup, initProducerID, endTxn, consumerGroupHeartbeat, shareFetch:
		return f.int16()
	case produce:
		return f.partition(version >= 13)
	case listOffsets:
		return f.partition(false)
	case offsetCommit:
		return f.partition(version >= 10)
	case fetch:
		if version >= 7 {
			code := f.int16()
			if f.int32(); code != 0 {
				return code
			}
		}
		return f.partition(version >= 13)
	case findCoordinator:
		return f.coordinator(version)
	case metadata:
		return f.topic(version)
	case createTopics:
		return f.named(version >= 7)
	case deleteTopics:
		return f.named(version >= 6)
	}
	return 0
}

// throttled has the versions from which answers begin with a time for which the
// client was throttled.
var throttled = map[int16]int16{fetch: 1, listOffsets: 2, metadata: 3, offsetCommit: 3, findCoordinator: 1, createTopics: 2, deleteTopics: 1, joinGroup: 2, syncGroup: 1,
	heartbeat: 1, leaveGroup: 1, initProducerID: 0, endTxn: 0, consumerGroupHeartbeat: 0, shareFetch: 0}

// partition is the error of the first partition of the first topic.
func (r *reader) partition(byID bool) int16 {
	if r.list() == 0 {
		return 0
	}
	if byID {
		r.Take(idBytes)
	} else {
		r.text()
	}
	if r.list() == 0 {
		return 0
	}
	r.int32()
	return r.int16()
}

// named is the error of the first topic of a list, behind its name and its id.
func (r *reader) named(withID bool) int16 {
	if r.list() == 0 {
		return 0
	}
	r.text()
	if withID {
		r.Take(idBytes)
	}
	return r.int16()
}

// coordinator is the error of the first coordinator that was looked for.
func (r *reader) coordinator(version int16) int16 {
	if version < 4 {
		return r.int16()
	}
	if r.list() == 0 {
		return 0
	}
	r.text() // key
	r.int32()
	r.text() // host
	r.int32()
	return r.int16()
}

// topic is the error of the first topic that was asked for. Before the topics are
// the brokers.
func (r *reader) topic(version int16) int16 {
	for n := r.list(); n > 0 && !r.Overread; n-- {
		r.int32()
		r.text() // host
		r.int32()
		if version >= 1 {
			r.text() // rack
		}
		r.tags()
	}
	if version >= 2 {
		r.text() // cluster
	}
	if version >= 1 {
		r.int32() // controller
	}
	if r.list() == 0 {
		return 0
	}
	return r.int16()
}
