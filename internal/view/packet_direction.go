package view

import (
	"iter"

	"rtrail/internal/direction"
	"rtrail/internal/recording"
)

// directionsOf sums connections of a service up by client and sender.
func directionsOf(connections []*PacketConnection) []recording.PacketDirection {
	type key struct{ client, sender string }
	known := map[key]int{}
	var list []recording.PacketDirection
	for _, c := range connections {
		for sender, side := range c.Sides() {
			k := key{c.Client, sender}
			i, ok := known[k]
			if !ok {
				i = len(list)
				known[k] = i
				list = append(list, recording.PacketDirection{At: c.At, Client: c.Client, Server: c.Server, ServerPort: c.ServerPort, Proto: c.Proto, Sender: sender})
			}
			direction.Add(&list[i], &c.PacketConnection, side)
		}
	}
	return list
}

// Sides goes through what the client sent and what the server sent.
func (c *PacketConnection) Sides() iter.Seq2[string, *recording.PacketSide] {
	return func(yield func(string, *recording.PacketSide) bool) {
		_ = yield("client", &c.FromClient) && yield("server", &c.FromServer)
	}
}

// Sent sums up what the clients of a service sent, or its servers.
func (s *PacketService) Sent(sender string) recording.PacketDirection {
	sum := recording.PacketDirection{Server: s.Server, ServerPort: int32(s.Port), Proto: s.Proto, Sender: sender}
	for i := range s.Directions {
		if d := &s.Directions[i]; d.Sender == sender {
			direction.Merge(&sum, d)
		}
	}
	return sum
}
