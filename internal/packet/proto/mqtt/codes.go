package mqtt

// refused is the least reason code that is an error.
const refused = 0x80

// returned are the return codes of CONNACK up to version 3.1.1, as version 5 names them.
var returned = [...]string{"", "UNSUPPORTED_PROTOCOL_VERSION", "CLIENT_IDENTIFIER_NOT_VALID", "SERVER_UNAVAILABLE", "BAD_USER_NAME_OR_PASSWORD", "NOT_AUTHORIZED"}

// reasons are the reason codes from refused on (MQTT 5, 2.4).
var reasons = [...]string{"UNSPECIFIED_ERROR", "MALFORMED_PACKET", "PROTOCOL_ERROR", "IMPLEMENTATION_SPECIFIC_ERROR", "UNSUPPORTED_PROTOCOL_VERSION",
	"CLIENT_IDENTIFIER_NOT_VALID", "BAD_USER_NAME_OR_PASSWORD", "NOT_AUTHORIZED", "SERVER_UNAVAILABLE", "SERVER_BUSY", "BANNED", "SERVER_SHUTTING_DOWN",
	"BAD_AUTHENTICATION_METHOD", "KEEP_ALIVE_TIMEOUT", "SESSION_TAKEN_OVER", "TOPIC_FILTER_INVALID", "TOPIC_NAME_INVALID", "PACKET_IDENTIFIER_IN_USE",
	"PACKET_IDENTIFIER_NOT_FOUND", "RECEIVE_MAXIMUM_EXCEEDED", "TOPIC_ALIAS_INVALID", "PACKET_TOO_LARGE", "MESSAGE_RATE_TOO_HIGH", "QUOTA_EXCEEDED",
	"ADMINISTRATIVE_ACTION", "PAYLOAD_FORMAT_INVALID", "RETAIN_NOT_SUPPORTED", "QOS_NOT_SUPPORTED", "USE_ANOTHER_SERVER", "SERVER_MOVED",
	"SHARED_SUBSCRIPTIONS_NOT_SUPPORTED", "CONNECTION_RATE_EXCEEDED", "MAXIMUM_CONNECT_TIME", "SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED",
	"WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED"}

// reason is the name of a code that is an error; "" if it is none. 1 to 5 are errors
// only of CONNACK, and reasons of no other answer but granted subscriptions.
func reason(code byte) string {
	switch i := int(code) - refused; {
	case int(code) < len(returned):
		return returned[code]
	case i >= 0 && i < len(reasons):
		return reasons[i]
	case i >= 0:
		return "?"
	}
	return ""
}
