package load

const (
	RedisPing = "PING\r\n"
	RedisPong = "+PONG\r\n"
)
