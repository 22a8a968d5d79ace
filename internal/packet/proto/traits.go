package proto

// Traits are what others than its decoder must know of a protocol, so that a new
// one is told of here and in the list of decoders only.
type Traits struct {
	Dissector string   // tshark's name of it; "": it has none
	Usual     []string // codes of errors that answer a question: not there, already there, not changed, not allowed without a password; programs ask on purpose
	IdleLimit string   // what its servers close idle connections by
	Batch     string   // how to ask for many things at once
}

var traits = map[string]Traits{
	"mysql": {
		Dissector: "mysql",
		Usual:     []string{"1062", "1045", "1050", "1007", "1008", "1051", "1091"},
		IdleLimit: "wait_timeout",
		Batch:     joins,
	},
	"postgres": {
		Dissector: "pgsql",
		Usual:     []string{"23505", "42P07", "28P01", "28000"},
		IdleLimit: "idle_session_timeout, client_idle_timeout of PgBouncer",
		Batch:     joins,
	},
	"http": {
		Dissector: "http",
		Usual:     []string{"401", "403", "404", "405", "407", "409", "410", "412", "416", "429"},
		IdleLimit: "keepalive_timeout of nginx, KeepAliveTimeout of Apache, server.keepAliveTimeout of Node.js (5 s unless set)",
		Batch:     "an endpoint that takes a list, or calls in parallel",
	},
	"redis": {
		Dissector: "resp",
		Usual:     []string{"NOSCRIPT", "NOAUTH", "MOVED", "ASK", "BUSYGROUP"},
		IdleLimit: "timeout",
		Batch:     "MGET, a pipeline, or a script",
	},
	"mongodb": {
		Dissector: "mongo",
		Usual:     []string{"11000", "AuthenticationFailed", "NamespaceExists", "NamespaceNotFound", "IndexNotFound", "CommandNotFound"},
		IdleLimit: "maxIdleTimeMS of the client's pool, or a firewall: the server has none",
		Batch:     "find with $in, $lookup, insertMany, bulkWrite",
	},
	"dns": {Dissector: "dns", Usual: []string{"NXDOMAIN"}},
	"tls": {Dissector: "tls"},
}

const joins = "a join, WHERE id IN (...), one INSERT with many rows; in an object mapper, fetch eagerly or in batches"

// TraitsOf are those of a protocol, with words for one that nothing is known of.
func TraitsOf(name string) Traits {
	t := traits[name]
	if t.IdleLimit == "" {
		t.IdleLimit = "its configuration says which"
	}
	if t.Batch == "" {
		t.Batch = "one request with a list"
	}
	return t
}
