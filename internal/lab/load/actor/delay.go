package actor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// delay makes a TUN device and gives each packet that is routed into it back later, in order,
// as a long path does. 64 MiB may be under way.
func delay(args []string) error {
	wait := time.Duration(number(args, 1)) * time.Millisecond
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
	for {
		n, err := device.Read(buffer)
		if err != nil {
			return err
		}
		select {
		case under <- packet{time.Now().Add(wait), append([]byte(nil), buffer[:n]...)}:
		default:
		}
	}
}
