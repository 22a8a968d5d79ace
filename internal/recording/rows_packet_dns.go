package recording

import "time"

// ResolverClients is how many clients of one resolver are told apart.
const ResolverClients = 256

// PacketResolver is what became of the queries to one server of DNS over the
// whole capture, however many there were. Copies of a query, sent with the same
// ports and identifier, count as one.
type PacketResolver struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`       // when it was first asked
	Interval   time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server     string        `parquet:"server,dict" over:"key"`
	ServerPort int32         `parquet:"server_port" over:"key"`
	Queries    int64         `parquet:"queries"`
	Addresses  int64         `parquet:"addresses"`                // of the queries: for the name of an address (PTR)
	Answered   int64         `parquet:"answered"`                 // of the queries
	Failed     int64         `parquet:"failed"`                   // of those answered: SERVFAIL, REFUSED and the like, but not NXDOMAIN
	Repeated   int64         `parquet:"repeated"`                 // of those answered: over UDP, by no error, and only soon after a copy that was sent half a second later or more
	Unanswered int64         `parquet:"unanswered"`               // of the queries: not answered within two seconds and until the capture ended or they were given up, or refused
	AskedAgain int64         `parquet:"asked_again"`              // of those unanswered, over UDP: the client sent a copy, or asked the same again; 0 in recordings of older versions
	Refused    int64         `parquet:"refused"`                  // of those unanswered: over UDP, an ICMP message said that no process listens
	Young      int64         `parquet:"young"`                    // of the queries: not answered either, but followed for less than two seconds, or than the slowest answer took
	Forgotten  int64         `parquet:"forgotten"`                // of the queries: no longer followed, as too many waited or their port and identifier were used again; those that were answered are among unpaired
	Unpaired   int64         `parquet:"unpaired"`                 // answers to none of the queries that were followed
	Waited     time.Duration `parquet:"waited_ns"`                // for the copies of those repeated, and for those unanswered but not refused at most 5 s each
	Clients    int64         `parquet:"clients" over:"max"`       // addresses whose queries are repeated, unanswered or forgotten; at most 256 are told apart
	Client     string        `parquet:"client,dict" over:"first"` // one of them
}

func (PacketResolver) Table() Table { return PacketResolvers }
