package load

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"rtrail/internal/lab/env"
)

// PacedMessages sends a message to a queue of an AMQP 0-9-1 broker every so often for d,
// over n connections that stay, waits for the broker to confirm it, and takes one back.
func PacedMessages(ctx context.Context, in *env.NetNS, at netip.AddrPort, n int, d, every time.Duration, queue string) (PacedResult, error) {
	publish := method(1, 60, 40, "\x00\x00"+amqpText("")+amqpText(queue)+"\x00") +
		amqpFrame(2, 1, "\x00\x3c\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x01"+"\x00\x00") + amqpFrame(3, 1, "7")
	get := method(1, 60, 70, "\x00\x00"+amqpText(queue)+"\x01")
	return dialect{
		greet: func(c *Caller) error { return c.openChannel(queue) },
		ask: func(c *Caller) error {
			if err := c.method(publish, 60, 80); err != nil {
				return err
			}
			if err := c.method(get, 60, 71); err != nil {
				return err
			}
			return errors.Join(c.frame("", ""), c.frame("", "7")) // its properties and its body
		},
	}.paced(ctx, in, at, n, d, every)
}

// openChannel logs in, and makes a queue and a channel that confirms.
func (c *Caller) openChannel(queue string) error {
	const noTable = "\x00\x00\x00\x00"
	plain := "\x00guest\x00guest"
	for _, step := range []struct {
		send          string
		class, answer uint16 // of the method that comes back
	}{
		{"AMQP\x00\x00\x09\x01", 10, 10},
		{method(0, 10, 11, noTable+amqpText("PLAIN")+long(plain)+amqpText("en_US")), 10, 30},
		// What the server proposes, but no heartbeats.
		{method(0, 10, 31, "\x07\xff\x00\x02\x00\x00\x00\x00") + method(0, 10, 40, amqpText("/")+"\x00\x00"), 10, 41},
		{method(1, 20, 10, "\x00"), 20, 11},
		{method(1, 50, 10, "\x00\x00"+amqpText(queue)+"\x00"+noTable), 50, 11},
		{method(1, 85, 10, "\x00"), 85, 11},
	} {
		if err := c.method(step.send, step.class, step.answer); err != nil {
			return err
		}
	}
	return nil
}

// method sends frames and reads a method.
func (c *Caller) method(frames string, class, number uint16) error {
	expected := string(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, class), number))
	return c.frame(frames, expected)
}

// frame sends frames, if there are some, and reads one.
func (c *Caller) frame(frames, expected string) error {
	return c.call([]byte(frames), 7, func(header []byte) int { return int(binary.BigEndian.Uint32(header[3:])) + 1 }, expected)
}

func method(channel, class, number uint16, arguments string) string {
	be := binary.BigEndian
	return amqpFrame(1, channel, string(be.AppendUint16(be.AppendUint16(nil, class), number))+arguments)
}

func amqpFrame(kind byte, channel uint16, payload string) string {
	return string(binary.BigEndian.AppendUint16([]byte{kind}, channel)) + long(payload) + "\xce"
}

func amqpText(s string) string { return string([]byte{byte(len(s))}) + s }

func long(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }
