package protocol

import (
	"maps"

	"rtrail/internal/shell"
)

// table has an entry for every decoder.
var table = complete(map[string]*Traits{
	"mysql": {
		Summary:   MySQL,
		Messages:  Literals,
		Names:     []string{"InitDB", "FieldList", "ChangeUser"},
		Raised:    []string{"1644"},
		Usual:     []string{"1062", "1045", "1050", "1007", "1008", "1051", "1091"},
		Database:  true,
		Incapable: []string{"1021", "1030", "1037", "1040", "1041", "1053", "1114"},
		Causes: map[string]string{
			"1146": "it asks for a table that does not exist: a missing migration, a wrong database, or a name built at run time; looking for it costs the server a directory scan",
			"1054": "it names a column that does not exist: program and schema differ in version",
			"1064": "its SQL has a syntax error",
			"1213": "transactions deadlock: take locks in one order, keep transactions short, and try again after a deadlock",
			"1205": "it waits for row locks until innodb_lock_wait_timeout: find who holds them",
			"1040": "the server has no connections left: see who holds them with show processlist",
			"1203": "the user has no connections left: see who holds them with show processlist",
			"1317": "statements are interrupted: an administrator kills them, or a time limit does",
			"1969": "statements are stopped by max_statement_time",
			"3024": "statements are stopped by max_execution_time",
			"1045": "logins are refused: a wrong user or password, or one that has changed",
			"1049": "it names a database that does not exist",
		},
		Dissector: "mysql",
		Batch:     joins,
		IdleLimit: "wait_timeout",
		Inside:    shell.Line(`mysql -e 'show full processlist; show engine innodb status\G'`),
		Log:       shell.Line(`mysql -e "show variables like 'log_error'"`),
		Pool:      shell.Line(`mysql -e "show variables like 'thread_pool%%'"`),
	},
	"postgres": {
		Summary:   PostgreSQL,
		Messages:  Literals,
		Raised:    []string{"P0001"},
		Usual:     []string{"23505", "42P07", "28P01", "28000"},
		Database:  true,
		Incapable: []string{"53100", "53200", "53300", "57P01", "57P02", "57P03"},
		Causes: map[string]string{
			"42P01": "it asks for a table that does not exist: a missing migration or a wrong search_path",
			"40P01": "transactions deadlock: take locks in one order and try again after a deadlock",
			"57014": "statements are cancelled: by statement_timeout or by a client",
			"53300": "the server has no connections left: use a pool",
			"28P01": "logins are refused: a wrong user or password, or one that has changed",
			"28000": "logins are refused: pg_hba.conf has no line for this user, database, address and encryption",
			"3D000": "it logs in to a database that does not exist",
			"57P03": "the server accepts no logins while it starts, stops or recovers: its log says why it did",
		},
		Dissector: "pgsql",
		Batch:     joins,
		IdleLimit: "idle_session_timeout, client_idle_timeout of PgBouncer",
		Inside:    shell.Line(`psql -c "select pid, wait_event_type, wait_event, state, query from pg_stat_activity where state <> 'idle'"`),
		Log:       shell.Line("psql -c 'show log_directory'"),
		Pool:      shell.Line("psql -c 'show max_connections'   # and the pool size of pgbouncer"),
	},
	"tds": {
		Summary:   TransactSQL,
		Names:     []string{"EXEC"},
		Raised:    []string{"50000"},
		Usual:     []string{"2601", "2627", "2714", "18456"},
		Database:  true,
		Incapable: []string{"1105", "9002", "10928"},
		Causes: map[string]string{
			"208":       "it asks for a table that does not exist: a missing migration, a wrong database or schema",
			"207":       "it names a column that does not exist: program and schema differ in version",
			"102":       "its SQL has a syntax error",
			"547":       "a row breaks a constraint: a foreign key or a check",
			"1205":      "transactions deadlock, and this one was chosen: take locks in one order, keep transactions short, and try again after a deadlock",
			"1222":      "it waits for locks until LOCK_TIMEOUT: find who holds them",
			"1105":      "the database cannot grow: its file group is full",
			"9002":      "the transaction log is full: back it up, or let it grow",
			"4060":      "it names a database that does not exist, or that the login may not open",
			"18456":     "logins are refused: a wrong user or password, or one that has changed",
			"10928":     "the limit of workers or sessions of the database is reached",
			"CANCELLED": "the client gives up: its command timeout (30 s in .NET unless set), or a user who closed a page",
		},
		Dissector: "tds",
		Batch:     joins,
		IdleLimit: "a firewall or load balancer: the server has none",
		Inside:    shell.Line("sqlcmd -Q 'select session_id, status, wait_type, wait_time, blocking_session_id, command from sys.dm_exec_requests'"),
		Log:       shell.Line("sqlcmd -Q 'exec sp_readerrorlog'"),
		Pool:      shell.Line(`sqlcmd -Q "exec sp_configure 'max worker threads'"`),
	},
	"http2": {
		Summary: Path,
		Usual: append([]string{
			"NOT_FOUND", "ALREADY_EXISTS", "UNAUTHENTICATED", "PERMISSION_DENIED", "FAILED_PRECONDITION", "OUT_OF_RANGE"}, httpUsual...),
		Incapable: []string{"5", "UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNKNOWN", "REFUSED_STREAM"},
		Gateway:   []string{"502", "503", "504", "UNAVAILABLE"},
		Causes: merged(httpCauses, map[string]string{
			"UNAVAILABLE":        "the server has no backend, is shutting down, or refuses work: clients may retry after a pause",
			"DEADLINE_EXCEEDED":  "the server gave up at the client's deadline: it, or what it asks, is slower than the client wants to wait",
			"RESOURCE_EXHAUSTED": "a quota or a limit is used up: requests, memory, or the size of a message",
			"CANCELLED":          "the client, or who it works for, gave the call up",
			"INTERNAL":           "the program behind the server failed; its log says why",
			"UNKNOWN":            "the program behind the server failed without saying how; its log says why",
			"UNIMPLEMENTED":      "the server does not know the method: client and server differ in version",
			"INVALID_ARGUMENT":   "the server does not accept what the client sends",
			"ABORTED":            "work was given up in favour of another (a conflict of transactions): retry it",
			"REFUSED_STREAM":     "the server takes no further streams on the connection: its limit of concurrent streams is reached, or it shuts down",
			"ENHANCE_YOUR_CALM":  "the server finds the client too busy: too many pings, resets or headers",
		}),
		Dissector: "http2",
		Batch:     "a method that takes a list, a stream of messages, or calls in parallel on one connection",
		IdleLimit: "keepalive_timeout of nginx, MAX_CONNECTION_IDLE of gRPC servers",
		Inside:    shell.Line("perf top -g -p PID   # and the times in the access log"),
	},
	"http": {
		Summary:   Path,
		Usual:     httpUsual,
		Incapable: []string{"5"},
		Gateway:   []string{"502", "503", "504"},
		Causes:    httpCauses,
		Dissector: "http",
		Batch:     "an endpoint that takes a list, or calls in parallel",
		IdleLimit: "keepalive_timeout of nginx, KeepAliveTimeout of Apache, server.keepAliveTimeout of Node.js (5 s unless set)",
		Inside:    shell.Line("perf top -g -p PID   # and the times in the access log"),
		Log:       shell.Line("tail -n 100 /var/log/nginx/error.log"),
		LogBy:     "nginx",
	},
	"fastcgi": {
		Summary:   Path,
		Usual:     append([]string{"STDERR"}, httpUsual...),
		Incapable: []string{"5", "EXIT", "OVERLOADED"},
		Gateway:   []string{"502", "503", "504"},
		Causes: merged(httpCauses, map[string]string{
			"STDERR":        "the script answers, and writes a warning",
			"EXIT":          "the script ended with an exit status other than 0; its log says why",
			"OVERLOADED":    "the server takes no further requests: all its workers are busy",
			"CANT_MPX_CONN": "the server works on one request of a connection at a time, and the client sent several",
			"UNKNOWN_ROLE":  "the server has no such role (responder, authorizer, filter)",
		}),
		Dissector: "fcgi",
		Batch:     "an endpoint that takes a list, or calls in parallel",
		IdleLimit: "keepalive_timeout in the upstream of nginx",
		Inside:    shell.Line("curl -s 'http://SERVER/status?full'   # pm.status_path of PHP-FPM; request_slowlog_timeout logs where scripts stand"),
		Unit:      "php*-fpm",
		Pool:      shell.Line("php-fpm -tt   # pm.max_children; the status page has the listen queue"),
	},
	"redis": {
		Summary:   Key,
		Usual:     []string{"NOSCRIPT", "NOAUTH", "MOVED", "ASK", "BUSYGROUP"},
		Incapable: []string{"OOM", "LOADING", "BUSY", "MISCONF", "CLUSTERDOWN", "MASTERDOWN"},
		Causes: map[string]string{
			"WRONGTYPE": "the key holds another type than the command is for: two programs use one name",
			"OOM":       "Redis has reached maxmemory and may not evict",
			"READONLY":  "it writes to a replica",
		},
		Dissector: "resp",
		Batch:     "MGET, a pipeline, or a script",
		IdleLimit: "timeout",
		Inside:    shell.Line("redis-cli slowlog get 20; redis-cli info commandstats"),
	},
	"amqp": {
		Summary:   Key,
		Messages:  Literals,
		Incapable: []string{"nack", "320", "541"},
		Causes: map[string]string{
			"nack": "the broker could not take the message over: its queue is full (x-max-length with reject-publish), or an error within it",
			"312":  "no queue is bound for the routing key: the message is lost",
			"313":  "no consumer is there for an immediate message",
			"320":  "the broker closes connections: an administrator, or a shutdown",
			"403":  "the user may not do this, or the password is wrong",
			"404":  "an exchange or a queue does not exist: not declared yet, deleted, or another virtual host",
			"405":  "the queue is exclusive to another connection",
			"406":  "an exchange or a queue exists with other properties, or a delivery was acknowledged twice or too late (consumer_timeout)",
			"504":  "the channel is used after it was closed",
			"530":  "the virtual host does not exist, or the user may not use it",
			"541":  "an error within the broker; its log says which",
		},
		Dissector: "amqp",
		Batch:     "many messages before waiting for confirms, basic.ack with multiple, a larger prefetch",
		IdleLimit: "heartbeat (60 s unless set), consumer_timeout",
		Inside:    shell.Line("rabbitmqctl list_queues name messages consumers state; rabbitmq-diagnostics alarms"),
		Unit:      "rabbitmq-server",
	},
	"cassandra": {
		Summary:   CQL,
		Usual:     []string{"UNPREPARED", "ALREADY_EXISTS", "AUTH_ERROR"},
		Incapable: []string{"WRITE_TIMEOUT", "READ_TIMEOUT", "UNAVAILABLE", "OVERLOADED", "IS_BOOTSTRAPPING", "READ_FAILURE", "WRITE_FAILURE", "TRUNCATE_ERROR"},
		Causes: map[string]string{
			"WRITE_TIMEOUT":     "too few replicas confirmed in time (write_request_timeout): one is slow, or in a pause for the collection of garbage",
			"READ_TIMEOUT":      "too few replicas answered in time (read_request_timeout): one is slow, or the query reads many rows or tombstones",
			"UNAVAILABLE":       "fewer replicas are up than the consistency level asks for: see nodetool status",
			"OVERLOADED":        "the node has too much to do and refuses work: clients should pause and ask others",
			"IS_BOOTSTRAPPING":  "the node is still joining the cluster",
			"READ_FAILURE":      "a replica failed while it read, most often at tombstone_failure_threshold: the table's deletes pile up",
			"WRITE_FAILURE":     "a replica failed while it wrote; its log says why",
			"CAS_WRITE_UNKNOWN": "statements with a condition (IF) compete for the same partition",
			"SYNTAX_ERROR":      "its CQL has a syntax error",
			"INVALID":           "the statement does not fit the schema: a table or a column that does not exist, a value of another type, a filter without ALLOW FILTERING",
			"UNAUTHORIZED":      "the role lacks a permission: see LIST ALL PERMISSIONS OF role",
			"AUTH_ERROR":        "logins are refused: a wrong user or password, or one that has changed",
			"UNPREPARED":        "the node does not know the prepared statement (any more): it was restarted, or its cache is too small (prepared_statements_cache_size); drivers prepare again",
			"TRUNCATE_ERROR":    "TRUNCATE needs all nodes, and one is down or slow",
			"SERVER_ERROR":      "an error within the server; its log says which",
			"PROTOCOL_ERROR":    "driver and server do not speak the same version; drivers ask for the newest first and then for an older one",
		},
		Dissector: "cql",
		Batch:     "statements sent at the same time on one connection (execute_async), IN on the key of one partition, an unlogged batch for one partition",
		IdleLimit: "native_transport_idle_timeout (none unless set)",
		Inside:    shell.Line("nodetool tpstats; nodetool proxyhistograms; nodetool compactionstats"),
		Log:       shell.Line("tail -n 100 /var/log/cassandra/system.log"),
		Pool:      shell.Line("nodetool tpstats   # Native-Transport-Requests: active, pending, blocked"),
	},
	"websocket": {
		Opaque:    true,
		Inferred:  "messages do not say what they answer: the server's next one is taken for the answer; pings and pongs are exact",
		Dissector: "websocket",
		Batch:     "several messages before waiting for the first answer, or one with a list",
		IdleLimit: "ping_interval and ping_timeout of the server's library, proxy_read_timeout of nginx (60 s unless set)",
	},
	"mqtt": {
		Summary:   Key,
		Messages:  Literals,
		Usual:     []string{"UNSUPPORTED_PROTOCOL_VERSION"},
		Incapable: []string{"QUOTA_EXCEEDED", "SERVER_BUSY", "SERVER_SHUTTING_DOWN"},
		Causes: map[string]string{
			"NOT_AUTHORIZED":              "the access list of the broker forbids the topic, or the login: user, password or client identifier",
			"BAD_USER_NAME_OR_PASSWORD":   "logins are refused: a wrong user or password, or one that has changed",
			"CLIENT_IDENTIFIER_NOT_VALID": "the broker does not take the client identifier: empty without a clean session, too long, or a prefix is asked for",
			"SESSION_TAKEN_OVER":          "two clients have the same client identifier: each throws the other out, without end if both reconnect",
			"KEEP_ALIVE_TIMEOUT":          "the client sent nothing for one and a half times its keep-alive: it hangs, or its network does",
			"QUOTA_EXCEEDED":              "a limit of the broker is reached: messages queued or under way, subscriptions, memory",
			"RECEIVE_MAXIMUM_EXCEEDED":    "more messages are under way than the receiver takes at a time (receive maximum)",
			"PACKET_TOO_LARGE":            "a message is larger than the receiver takes (message_size_limit, maximum packet size)",
			"MESSAGE_RATE_TOO_HIGH":       "the client publishes faster than the broker allows",
			"SERVER_BUSY":                 "the broker is overloaded",
			"SERVER_SHUTTING_DOWN":        "the broker is being stopped or restarted",
			"TOPIC_ALIAS_INVALID":         "the client uses a topic alias above the maximum of the broker",
			"UNSPECIFIED_ERROR":           "the broker does not say why; its log may. Of a SUBSCRIBE: the filter is forbidden",
		},
		Dissector: "mqtt",
		Batch:     "more messages under way before waiting for their acknowledgements (max_inflight, receive maximum), or several values in one message",
		IdleLimit: "one and a half times the keep-alive that the client asks for",
		Inside:    shell.Line("mosquitto_sub -h SERVER -v -W 15 -t '$SYS/broker/#'   # clients, messages stored, dropped, load"),
		Unit:      "mosquitto",
	},
	"memcached": {
		Summary: Key,
		Usual:   []string{"NOT_FOUND", "NOT_STORED", "EXISTS"},
		Causes: map[string]string{
			"ERROR":        "the server does not know the command: another version, or another protocol on its port",
			"CLIENT_ERROR": "the client breaks the protocol, or increments what is no number",
			"SERVER_ERROR": "the value is larger than the server takes (-I), or its memory is used up (-m) and nothing can be evicted (-M)",
			"BUSY":         "another crawl or move of slabs is under way",
		},
		Dissector: "memcache",
		Batch:     "get with many keys, or a batch of quiet commands that ends with mn",
		IdleLimit: "idle_timeout (-o idle_timeout; none unless set)",
		Inside:    shell.Line("echo stats | nc -q 1 SERVER 11211   # curr_connections, listen_disabled_num, evictions, threads"),
	},
	"mongodb": {
		Summary:   Name,
		Messages:  Documents,
		Usual:     []string{"11000", "AuthenticationFailed", "NamespaceExists", "NamespaceNotFound", "IndexNotFound", "CommandNotFound"},
		Dissector: "mongo",
		Batch:     "find with $in, $lookup, insertMany, bulkWrite",
		IdleLimit: "maxIdleTimeMS of the client's pool, or a firewall: the server has none",
		Inside:    shell.Line(`mongosh --eval 'db.currentOp({secs_running: {$gt: 0}})'`),
	},
	"kafka": {
		Summary:  Name,
		Messages: Literals,
		Usual:    []string{"MEMBER_ID_REQUIRED", "TOPIC_ALREADY_EXISTS", "UNSUPPORTED_VERSION", "FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH"},
		Causes: map[string]string{
			"UNKNOWN_TOPIC_OR_PARTITION": "the topic does not exist, or was deleted while clients use it",
			"NOT_LEADER_OR_FOLLOWER":     "the partition has moved to another broker: clients ask where, and retry; if it goes on, leaders change all the time",
			"REQUEST_TIMED_OUT":          "the replicas did not acknowledge in time: a follower is slow or gone",
			"NOT_ENOUGH_REPLICAS":        "fewer replicas are in sync than min.insync.replicas asks for: find the followers that are down or behind",
			"REBALANCE_IN_PROGRESS":      "consumers join or leave the group: see whether they exceed max.poll.interval.ms or session.timeout.ms",
			"UNKNOWN_MEMBER_ID":          "the group has given the consumer up: it polled too late or stopped sending heartbeats",
			"COORDINATOR_NOT_AVAILABLE":  "the coordinator of the group is not ready: __consumer_offsets has no leader, or the broker has just started",
			"OFFSET_OUT_OF_RANGE":        "the consumer asks for records that retention has deleted: it is too far behind",
			"MESSAGE_TOO_LARGE":          "a batch is larger than max.message.bytes of the topic",
			"TOPIC_AUTHORIZATION_FAILED": "an ACL for the topic is missing",
			"THROTTLING_QUOTA_EXCEEDED":  "the client is over its quota",
		},
		Dissector: "kafka",
		Batch:     "larger batches: batch.size and linger.ms of the producer, fetch.min.bytes of the consumer",
		IdleLimit: "connections.max.idle.ms (10 min unless set)",
		Inside:    shell.Line("kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --all-groups   # lag; and the request metrics of the broker"),
	},
	"dns": {
		Summary:  Domain,
		Messages: Literals,
		Usual:    []string{"NXDOMAIN"},
		Causes: map[string]string{
			"SERVFAIL": "the resolver could not reach the name's servers, or their answers fail validation",
			"REFUSED":  "the server does not answer for this name or this client",
			"":         "the resolver could not answer: ask it and the servers behind it with dig",
		},
		Dissector: "dns",
	},
	"tls":     {Opaque: true, Summary: Domain, Messages: Literals, Dissector: "tls"},
	"generic": {Opaque: true},
	"":        {Opaque: true},
})

// httpUsual are statuses that answer a question.
var httpUsual = []string{"401", "403", "404", "405", "407", "409", "410", "412", "416", "429"}

// httpCauses are those of statuses, whatever the version of HTTP.
var httpCauses = map[string]string{
	"500": "the program behind the server failed; its log says why",
	"502": "the server behind the proxy closed or refused the connection",
	"503": "the server is overloaded or has no healthy backend",
	"504": "the server behind the proxy did not answer in time",
	"5":   "the server could not do its work; its error log says why",
	"":    "the client asks for what is not there, or not allowed",
}

// merged is two tables in one.
func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

const joins = "a join, WHERE id IN (...), one INSERT with many rows; in an object mapper, fetch eagerly or in batches"

// unknown are the traits of what is not in the table.
var unknown = complete(map[string]*Traits{"": {}})[""]

// complete gives entries that have none the words and commands that fit all.
func complete(all map[string]*Traits) map[string]*Traits {
	for _, t := range all {
		if t.Batch == "" {
			t.Batch = "one request with a list"
		}
		if t.IdleLimit == "" {
			t.IdleLimit = "its configuration says which"
		}
		if t.Inside.Empty() {
			t.Inside = shell.Line("perf top -g -p PID")
		}
	}
	return all
}
