package actor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// delay makes a TUN device and gives each packet that is routed into it back later, in order,
// as a long path does. 64 MiB may be under way. With a rate it is a shaper: packets leave
// no faster, so many bytes may wait, and what finds no room is lost.
func delay(args []string) error {
	wait := time.Duration(number(args, 1)) * time.Millisecond
	var rate, room int // bytes per second, bytes
	if len(args) > 3 {
		rate, room = number(args, 2), number(args, 3)
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	request, err := unix.NewIfreq(args[0])
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return err
	}
	device := os.NewFile(uintptr(fd), "tun")
	type packet struct {
		due  time.Time
		data []byte
	}
	under := make(chan packet, 64<<20/1500)
	go func() {
		for p := range under {
			time.Sleep(time.Until(p.due))
			_, _ = device.Write(p.data) // as on a path, what does not get through is lost
		}
	}()
	buffer := make([]byte, 1<<16)
	var free time.Time // when all that waits for the rate has left
	for {
		n, err := device.Read(buffer)
		if err != nil {
			return err
		}
		now := time.Now()
		leaves := now
		if rate > 0 {
			if free.Before(now) {
				free = now
			}
			if free.Sub(now) > takes(room, rate) {
				continue
			}
			free = free.Add(takes(n, rate))
			leaves = free
		}
		select {
		case under <- packet{leaves.Add(wait), append([]byte(nil), buffer[:n]...)}:
		default:
		}
	}
}

// takes is how long bytes take at a rate.
func takes(bytes, perSecond int) time.Duration {
	return time.Duration(float64(bytes) / float64(perSecond) * float64(time.Second))
}
