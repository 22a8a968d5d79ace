package engine

import (
	"slices"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/amqp"
	"rtrail/internal/packet/proto/cassandra"
	"rtrail/internal/packet/proto/dns"
	"rtrail/internal/packet/proto/fastcgi"
	"rtrail/internal/packet/proto/generic"
	"rtrail/internal/packet/proto/http"
	"rtrail/internal/packet/proto/http2"
	"rtrail/internal/packet/proto/kafka"
	"rtrail/internal/packet/proto/memcached"
	"rtrail/internal/packet/proto/mongodb"
	"rtrail/internal/packet/proto/mqtt"
	"rtrail/internal/packet/proto/mysql"
	"rtrail/internal/packet/proto/postgres"
	"rtrail/internal/packet/proto/redis"
	"rtrail/internal/packet/proto/tds"
	"rtrail/internal/packet/proto/tls"
	"rtrail/internal/packet/proto/websocket"
)

// Protocols lists the decoders in the order in which they are asked. The last
// one takes what no other one knows.
func Protocols() []proto.Protocol {
	return []proto.Protocol{
		mysql.Protocol,
		http.Protocol,
		http2.Protocol,
		redis.Protocol,
		dns.Protocol,
		postgres.Protocol,
		mongodb.Protocol,
		kafka.Protocol,
		memcached.Protocol,
		amqp.Protocol,
		mqtt.Protocol,
		fastcgi.Protocol,
		cassandra.Protocol,
		websocket.Protocol,
		tds.Protocol,
		tls.Protocol,
		generic.Protocol,
	}
}

// Names lists the protocols that can be asked for.
func Names() (names []string) {
	for _, p := range Protocols() {
		names = append(names, p.Name)
	}
	return names
}

// Trims lists what the decoders spare live captures.
func Trims() (list []flow.Trim) {
	for _, p := range Protocols() {
		if p.Trim != nil {
			list = append(list, p.Trim)
		}
	}
	return list
}

// expecting is the list with the ports on which servers are known to speak the
// protocols.
func expecting(list []proto.Protocol, servers map[uint16]string) []proto.Protocol {
	list = slices.Clone(list)
	for port, name := range servers {
		for i := range list {
			if list[i].Name == name {
				list[i].Ports = append(slices.Clip(list[i].Ports), port)
			}
		}
	}
	return list
}

// speaker tells which way bytes go, by the decoders that are sure of it.
func speaker(list []proto.Protocol) func([]byte) (flow.Dir, bool) {
	return func(first []byte) (flow.Dir, bool) {
		for i := range list {
			sniff := list[i].Sniff
			server, client := sniff(flow.ToClient, first) == proto.Sure, sniff(flow.ToServer, first) == proto.Sure
			switch {
			case server && client:
				return 0, false
			case server:
				return flow.ToClient, true
			case client:
				return flow.ToServer, true
			}
		}
		return 0, false
	}
}

// known tells ports that servers listen on: those of the decoders, and those
// the user knows.
func known(list []proto.Protocol, more map[uint16]string) func(uint16) bool {
	var ports []uint16
	for _, p := range list {
		ports = append(ports, p.Ports...)
	}
	slices.Sort(ports)
	return func(port uint16) bool {
		_, ok := slices.BinarySearch(ports, port)
		if !ok {
			_, ok = more[port]
		}
		return ok
	}
}
