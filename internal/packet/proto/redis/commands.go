package redis

import "strings"

// kind is what is special about a command.
type kind uint8

const (
	ordinary kind = iota
	message       // of a channel; no command
	subscribe
	psubscribe
	ssubscribe
	unsubscribe
	punsubscribe
	sunsubscribe
	clientReply
	replyOn
	replyOff
	replySkip
	monitor
	reset
	replicate
	multi
	endMulti
)

// command is what the decoder knows of a command.
type command struct {
	name     string
	key      int8 // index of the first key; 0: it has none, or none that may be shown
	kind     kind
	blocks   bool // the server waits with its answer because it is asked to
	sub      bool // its first argument is a subcommand
	numbered bool // the number of keys stands before the first one
	streams  bool // the keys follow the word STREAMS; it blocks if the word BLOCK is before it
}

// stranger is a command that is not in the table: of a module, or of a later
// version. Nearly all have their key first.
var (
	stranger         = command{key: 1}
	replyOnCommand   = command{name: "CLIENT REPLY", kind: replyOn}
	replyOffCommand  = command{name: "CLIENT REPLY", kind: replyOff}
	replySkipCommand = command{name: "CLIENT REPLY", kind: replySkip}
)

// table has all commands that differ from a stranger, and by which words those
// that do not, so that their names need not be copied.
var table = func() map[string]*command {
	t := map[string]*command{}
	add := func(words string, like command) {
		for w := range strings.FieldsSeq(words) {
			c := like
			c.name = strings.ReplaceAll(w, "|", " ")
			t[w] = &c
		}
	}
	add(`GET SET SETNX SETEX PSETEX GETSET GETDEL GETEX MGET MSET MSETNX APPEND STRLEN INCR DECR INCRBY DECRBY INCRBYFLOAT
		SETRANGE GETRANGE SUBSTR SETBIT GETBIT BITCOUNT BITPOS BITFIELD BITFIELD_RO LCS DEL UNLINK EXISTS EXPIRE PEXPIRE EXPIREAT
		PEXPIREAT EXPIRETIME PEXPIRETIME TTL PTTL PERSIST TYPE TOUCH DUMP RESTORE RENAME RENAMENX MOVE COPY SORT SORT_RO WATCH
		LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LLEN LINDEX LINSERT LRANGE LREM LSET LTRIM LPOS LMOVE RPOPLPUSH
		SADD SREM SMEMBERS SISMEMBER SMISMEMBER SCARD SPOP SRANDMEMBER SMOVE SINTER SUNION SDIFF SINTERSTORE SUNIONSTORE SDIFFSTORE SSCAN
		HSET HSETNX HGET HMSET HMGET HGETALL HDEL HEXISTS HKEYS HVALS HLEN HINCRBY HINCRBYFLOAT HSTRLEN HSCAN HRANDFIELD HEXPIRE HTTL
		ZADD ZREM ZSCORE ZMSCORE ZCARD ZCOUNT ZLEXCOUNT ZINCRBY ZRANK ZREVRANK ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE
		ZRANGEBYLEX ZREVRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREMRANGEBYLEX ZRANGESTORE ZUNIONSTORE ZINTERSTORE ZDIFFSTORE
		ZPOPMIN ZPOPMAX ZRANDMEMBER ZSCAN GEOADD GEODIST GEOHASH GEOPOS GEORADIUS GEORADIUSBYMEMBER GEOSEARCH
		GEOSEARCHSTORE PFADD PFCOUNT PFMERGE XADD XLEN XRANGE XREVRANGE XDEL XTRIM XACK XCLAIM XAUTOCLAIM XPENDING XSETID
		PUBLISH SPUBLISH`, command{key: 1})
	add(`AUTH HELLO PING ECHO QUIT SELECT SWAPDB DBSIZE FLUSHDB FLUSHALL KEYS SCAN RANDOMKEY INFO TIME ROLE LASTSAVE SAVE BGSAVE
		BGREWRITEAOF SHUTDOWN REPLICAOF SLAVEOF REPLCONF UNWATCH ASKING READONLY READWRITE LOLWUT
		FAILOVER`, command{})
	add("MONITOR", command{kind: monitor})
	add("RESET", command{kind: reset})
	add("SYNC PSYNC", command{kind: replicate})
	add("SUBSCRIBE", command{key: 1, kind: subscribe})
	add("PSUBSCRIBE", command{key: 1, kind: psubscribe})
	add("SSUBSCRIBE", command{key: 1, kind: ssubscribe})
	add("UNSUBSCRIBE", command{key: 1, kind: unsubscribe})
	add("PUNSUBSCRIBE", command{key: 1, kind: punsubscribe})
	add("SUNSUBSCRIBE", command{key: 1, kind: sunsubscribe})
	add("EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO", command{key: 3, numbered: true})
	add("ZUNION ZINTER ZDIFF ZINTERCARD SINTERCARD LMPOP ZMPOP", command{key: 2, numbered: true})
	add("BLPOP BRPOP BLMOVE BRPOPLPUSH BZPOPMIN BZPOPMAX", command{key: 1, blocks: true})
	add("BLMPOP BZMPOP", command{key: 3, numbered: true, blocks: true})
	add("WAIT WAITAOF", command{blocks: true})
	add("MULTI", command{kind: multi})
	add("EXEC DISCARD", command{kind: endMulti})
	add("BITOP", command{key: 2})
	add("MIGRATE", command{key: 3})
	add("XREAD XREADGROUP", command{streams: true})
	add("ACL CLIENT CLUSTER COMMAND CONFIG DEBUG FUNCTION LATENCY MEMORY MODULE OBJECT PUBSUB SCRIPT SENTINEL SLOWLOG XGROUP XINFO",
		command{sub: true})
	add("CLIENT|REPLY", command{kind: clientReply})
	add(`MEMORY|USAGE OBJECT|ENCODING OBJECT|FREQ OBJECT|IDLETIME OBJECT|REFCOUNT XGROUP|CREATE XGROUP|CREATECONSUMER
		XGROUP|DELCONSUMER XGROUP|DESTROY XGROUP|SETID XINFO|CONSUMERS XINFO|GROUPS XINFO|STREAM DEBUG|OBJECT`, command{key: 2})
	add(`ACL|CAT ACL|DELUSER ACL|DRYRUN ACL|GENPASS ACL|GETUSER ACL|LIST ACL|LOAD ACL|LOG ACL|SAVE ACL|SETUSER ACL|USERS ACL|WHOAMI
		CLIENT|CACHING CLIENT|GETNAME CLIENT|GETREDIR CLIENT|ID CLIENT|INFO CLIENT|KILL CLIENT|LIST CLIENT|NO-EVICT CLIENT|NO-TOUCH
		CLIENT|PAUSE CLIENT|SETINFO CLIENT|SETNAME CLIENT|TRACKING CLIENT|TRACKINGINFO CLIENT|UNBLOCK CLIENT|UNPAUSE
		CLUSTER|ADDSLOTS CLUSTER|BUMPEPOCH CLUSTER|COUNTKEYSINSLOT CLUSTER|DELSLOTS CLUSTER|FAILOVER CLUSTER|FORGET
		CLUSTER|GETKEYSINSLOT CLUSTER|INFO CLUSTER|KEYSLOT CLUSTER|LINKS CLUSTER|MEET CLUSTER|MYID CLUSTER|MYSHARDID CLUSTER|NODES
		CLUSTER|REPLICAS CLUSTER|REPLICATE CLUSTER|RESET CLUSTER|SETSLOT CLUSTER|SHARDS CLUSTER|SLAVES CLUSTER|SLOTS
		COMMAND|COUNT COMMAND|DOCS COMMAND|GETKEYS COMMAND|GETKEYSANDFLAGS COMMAND|INFO COMMAND|LIST
		CONFIG|GET CONFIG|RESETSTAT CONFIG|REWRITE CONFIG|SET DEBUG|SLEEP DEBUG|PROTOCOL DEBUG|JMAP
		FUNCTION|DELETE FUNCTION|DUMP FUNCTION|FLUSH FUNCTION|KILL FUNCTION|LIST FUNCTION|LOAD FUNCTION|RESTORE FUNCTION|STATS
		LATENCY|DOCTOR LATENCY|GRAPH LATENCY|HISTOGRAM LATENCY|HISTORY LATENCY|LATEST LATENCY|RESET
		MEMORY|DOCTOR MEMORY|MALLOC-STATS MEMORY|PURGE MEMORY|STATS MODULE|LIST MODULE|LOAD MODULE|LOADEX MODULE|UNLOAD
		PUBSUB|CHANNELS PUBSUB|NUMPAT PUBSUB|NUMSUB PUBSUB|SHARDCHANNELS PUBSUB|SHARDNUMSUB
		SCRIPT|DEBUG SCRIPT|EXISTS SCRIPT|FLUSH SCRIPT|KILL SCRIPT|LOAD
		SENTINEL|CKQUORUM SENTINEL|GET-MASTER-ADDR-BY-NAME SENTINEL|IS-MASTER-DOWN-BY-ADDR SENTINEL|MASTER SENTINEL|MASTERS
		SENTINEL|MONITOR SENTINEL|REPLICAS SENTINEL|SENTINELS SENTINEL|SLAVES SLOWLOG|GET SLOWLOG|LEN SLOWLOG|RESET`, command{})
	return t
}()

// find knows a command by its upper-case name.
func find(word []byte) *command {
	switch string(word) { // the most frequent ones, without the table
	case "GET":
		return get
	case "SET":
		return set
	}
	if k, ok := table[string(word)]; ok {
		return k
	}
	return &stranger
}

var get, set = table["GET"], table["SET"]

// find knows a subcommand; nil if it does not.
func (c *command) find(word []byte) *command {
	var both [48]byte
	n := copy(both[:], c.name)
	both[n] = '|'
	n += 1 + copy(both[n+1:], word)
	return table[string(both[:n])]
}

// strangeName is the name of a command that is not in the table, if it looks
// like one.
func strangeName(word []byte) string {
	for _, c := range word {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return "?"
		}
	}
	return string(word)
}

// confirmation says what the first element makes of a message.
func confirmation(word []byte) kind {
	switch string(word) {
	case "message", "pmessage", "smessage":
		return message
	case "subscribe":
		return subscribe
	case "psubscribe":
		return psubscribe
	case "ssubscribe":
		return ssubscribe
	case "unsubscribe":
		return unsubscribe
	case "punsubscribe":
		return punsubscribe
	case "sunsubscribe":
		return sunsubscribe
	}
	return ordinary
}

// maxError bounds the text of an error that is kept.
const maxError = 256

// splitError takes an error apart: its first word, if that is a code, and the
// rest.
func splitError(text []byte) (code, rest string) {
	n := 0
	for n < len(text) && n < 24 && (text[n] >= 'A' && text[n] <= 'Z' || text[n] >= '0' && text[n] <= '9' || text[n] == '_') {
		n++
	}
	if n == 0 || n < len(text) && text[n] != ' ' {
		n = 0
	}
	code = codeWord(text[:n])
	text = text[min(len(text), n+min(1, n)):]
	return code, strings.ToValidUTF8(string(text[:min(len(text), maxError)]), "\ufffd")
}

// codeWord spares a copy of the codes that come often.
func codeWord(word []byte) string {
	for _, c := range [...]string{"ERR", "MOVED", "ASK", "WRONGTYPE", "NOAUTH", "NOSCRIPT", "LOADING", "BUSY", "OOM", "READONLY", "EXECABORT", "CLUSTERDOWN", "TRYAGAIN", "CROSSSLOT", "NOPERM", "MISCONF"} {
		if string(word) == c {
			return c
		}
	}
	return string(word)
}
