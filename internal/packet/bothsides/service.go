package bothsides

import (
	"slices"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// serviceKey tells services apart.
type serviceKey struct {
	server, backend flow.Endpoint
	proto           string
}

// maxServices bounds the services that are told apart, to some 60 MB. Those
// beyond it count for one without name.
const maxServices = 4096

// Part is one part of the time of transactions.
type Part struct {
	Sum  time.Duration
	Hist rt.Histogram
}

func (p *Part) add(d time.Duration) {
	p.Sum += d
	p.Hist.Add(d)
}

// Service is one service, as its clients address it, on one server.
type Service struct {
	Server, Backend flow.Endpoint // as the client's and as the server's capture have it
	Proto           string

	First, Last int64 // beginnings of the first and of the last transaction
	Connections int   // with transactions that were split
	Unmatched   int   // connections to Server that the server's capture should have and lacks
	Count       uint64
	Approximate uint64
	Failed      uint64
	Clamped     uint64
	Excluded    Excluded

	RT          Part // at the client: last request packet to first response packet
	Upload      Part
	ResentThere Part
	PathThere   Part
	Serve       Part
	ResentBack  Part
	PathBack    Part
	Download    Part
	Sending     time.Duration // sum
	Idle        time.Duration // sum
	Resent      uint64        // transactions that waited for a copy of a packet lost between the captures

	SegmentsThere, SegmentsBack uint64
	LostThere, LostBack         uint64
}

// Waited is what clients waited in all, from the first request packet to the
// last response packet.
func (s *Service) Waited() time.Duration { return s.Upload.Sum + s.RT.Sum + s.Download.Sum }

// service finds the service of a connection.
func (j *joiner) service(pair int32, protocol string) *Service {
	p := &j.match.pairs[pair]
	key := serviceKey{j.surveys[0].connections[p.at[0]].server, j.surveys[1].connections[p.at[1]].server, protocol}
	s := j.services[key]
	if s == nil {
		if len(j.services) >= maxServices {
			key = serviceKey{}
			if s = j.services[key]; s != nil {
				return s
			}
		}
		s = &Service{Server: key.server, Backend: key.backend, Proto: key.proto}
		j.services[key] = s
	}
	return s
}

func (s *Service) add(x *Split) {
	if s.Count == 0 || x.Start < s.First {
		s.First = x.Start
	}
	s.Last = max(s.Last, x.Start)
	s.Count++
	if x.Doubt&proto.Approximate != 0 {
		s.Approximate++
	}
	if x.Failed {
		s.Failed++
	}
	if x.Clamped {
		s.Clamped++
	}
	if x.ResentThere+x.ResentBack > 0 {
		s.Resent++
	}
	s.RT.add(x.RT)
	s.Upload.add(x.Upload)
	s.ResentThere.add(x.ResentThere)
	s.PathThere.add(x.PathThere)
	s.Serve.add(x.ServeThere)
	s.ResentBack.add(x.ResentBack)
	s.PathBack.add(x.PathBack)
	s.Download.add(x.Download)
	s.Sending += x.Sending
	s.Idle += max(x.Idle, 0)
}

// wanted says whether a connection goes to a port that matters.
func wanted(ports []uint16, c *connection) bool {
	return len(ports) == 0 || slices.Contains(ports, c.server.Port)
}
