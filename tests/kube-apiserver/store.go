package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

const storeStartTimeout = 30 * time.Second

// store is the etcd of this process. It can be stopped and started on the same data, which is
// how history is expired.
type store struct {
	directory string
	port      int

	mutex  sync.Mutex
	server *embed.Etcd
}

// start serves clients on 127.0.0.1:port; port 0 is one that nobody knows.
func (s *store) start(port int) error {
	config := embed.NewConfig()
	config.Name = "store"
	config.Dir = s.directory
	config.LogLevel = "error"
	config.UnsafeNoFsync = true // the data is thrown away with the folder
	config.SocketOpts.ReusePort = true
	config.QuotaBackendBytes = 8 << 30 // benches write every version of 15,000 Nodes within a compaction's period
	clients := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
	peers := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls = []url.URL{clients}
	config.AdvertiseClientUrls = []url.URL{clients}
	config.ListenPeerUrls = []url.URL{peers}
	config.AdvertisePeerUrls = []url.URL{peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	s.server = server
	select {
	case <-server.Server.ReadyNotify():
		return nil
	case <-time.After(storeStartTimeout):
		return fmt.Errorf("etcd: not ready after %s", storeStartTimeout)
	}
}

// stop closes etcd. It would wait some seconds for the watches of its clients to end, so their
// connections are shut down meanwhile.
func (s *store) stop() {
	if s.server == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		s.server.Close()
		close(closed)
	}()
	for {
		select {
		case <-closed:
			s.server = nil
			return
		case <-time.After(10 * time.Millisecond):
			shutDownConnections(s.port)
		}
	}
}

// backUp writes a copy of the data beside it. etcd is stopped meanwhile, as a copy of the files needs.
func (s *store) backUp() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.stop()
	target := s.directory + ".copy"
	err := os.RemoveAll(target)
	if err == nil {
		err = os.CopyFS(target, os.DirFS(s.directory))
	}
	if startError := s.start(s.port); startError != nil {
		return startError
	}
	return err
}

// expireHistory makes every revision up to now unreadable and returns the last one that was.
// Compaction alone would not do: the API server's watch caches keep the events they have seen and
// never ask etcd again. So etcd is restarted out of their reach, moves on by a few revisions and
// compacts; when the watches of the caches come back they are behind the compaction and the
// caches have to start again from a list.
func (s *store) expireHistory(ctx context.Context) (int64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.stop()
	if err := s.start(0); err != nil {
		return 0, err
	}
	last, err := advanceAndCompact(ctx, v3client.New(s.server.Server))
	s.stop()
	if startError := s.start(s.port); startError != nil {
		return 0, startError
	}
	return last, err
}

func advanceAndCompact(ctx context.Context, client *clientv3.Client) (int64, error) {
	const key = "/expire-history" // outside the API server's prefix
	read, err := client.Get(ctx, key)
	if err != nil {
		return 0, fmt.Errorf("etcd get: %w", err)
	}
	var revision int64
	for range 3 {
		put, err := client.Put(ctx, key, "moved on")
		if err != nil {
			return 0, fmt.Errorf("etcd put: %w", err)
		}
		revision = put.Header.Revision
	}
	if _, err := client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return 0, fmt.Errorf("etcd compact: %w", err)
	}
	return read.Header.Revision, nil
}
