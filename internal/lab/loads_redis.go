package lab

const (
	redisPing = "PING\r\n"
	redisPong = "+PONG\r\n"
)
