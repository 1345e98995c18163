package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reservedPort is a bound socket that does not listen: with SO_REUSEPORT the real listener can
// take the same port, and nobody else is given it meanwhile. It lives as long as the process.
type reservedPort struct {
	descriptor int
	number     int
}

func reservePort(wanted int) (reservedPort, error) {
	descriptor, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return reservedPort{}, fmt.Errorf("socket: %w", err)
	}
	if err := unix.SetsockoptInt(descriptor, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return reservedPort{}, fmt.Errorf("SO_REUSEPORT: %w", err)
	}
	loopback := &unix.SockaddrInet4{Port: wanted, Addr: [4]byte{127, 0, 0, 1}}
	if err := unix.Bind(descriptor, loopback); err != nil {
		return reservedPort{}, fmt.Errorf("port %d on 127.0.0.1: %w", wanted, err)
	}
	name, err := unix.Getsockname(descriptor)
	if err != nil {
		return reservedPort{}, fmt.Errorf("getsockname: %w", err)
	}
	return reservedPort{descriptor, name.(*unix.SockaddrInet4).Port}, nil
}

// shutDownConnections ends every connection of this process that was accepted on a loopback port.
func shutDownConnections(port int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		descriptor, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		name, err := unix.Getsockname(descriptor)
		if err != nil {
			continue
		}
		address, inet := name.(*unix.SockaddrInet4)
		if !inet || address.Port != port {
			continue
		}
		if _, err := unix.Getpeername(descriptor); err == nil {
			unix.Shutdown(descriptor, unix.SHUT_RDWR) //nolint:errcheck // it may just have ended
		}
	}
}
