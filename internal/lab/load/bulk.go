package load

import (
	"context"
	"io"
	"net"
	"time"

	"rtrail/internal/lab/env"
)

// Bulk sends from one namespace to an address in another, as fast as it goes
// for some time, again and again with pauses.
func Bulk(ctx context.Context, e *env.Env, from, to *env.NetNS, address string, sending, pause time.Duration) (stop func(), err error) {
	var l net.Listener
	err = to.Do(func() (err error) {
		l, err = net.Listen("tcp", address+":9999")
		return err
	})
	if err != nil {
		return nil, err
	}
	end := e.Background("bulk transfer", func(ctx context.Context) {
		block := make([]byte, 64<<10)
		for ctx.Err() == nil {
			conn, err := from.Dial(ctx, "tcp", address+":9999")
			if err == nil {
				_ = conn.SetDeadline(time.Now().Add(sending))
				for err == nil {
					_, err = conn.Write(block)
				}
				// What is still in its buffers must not be sent in the pause.
				_ = conn.(*net.TCPConn).SetLinger(0)
				conn.Close()
			}
			env.Sleep(ctx, pause)
		}
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				conn.Close()
			}()
		}
	}()
	closeListener := e.Defer("sink of the bulk transfer", l.Close)
	return func() { end(); _ = closeListener() }, nil
}
