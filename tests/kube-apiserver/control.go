package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
)

const expiryTimeout = 60 * time.Second

// serveControl answers POST /expire-history and POST /back-up on a free loopback port and returns its
// address. The answers come when the API server itself reports the old history as expired, or is
// ready again.
func serveControl(store *store, client kubernetes.Interface) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /expire-history", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), expiryTimeout)
		defer cancel()
		last, err := store.expireHistory(ctx)
		if err == nil {
			err = waitUntilExpired(ctx, client, last)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"lastExpired\":%q}\n", strconv.FormatInt(last, 10))
	})
	mux.HandleFunc("POST /back-up", func(w http.ResponseWriter, r *http.Request) {
		err := store.backUp()
		if err == nil {
			err = waitUntilReady(client)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	go http.Serve(listener, mux) //nolint:errcheck // ends with the process
	return "http://" + listener.Addr().String(), nil
}

// The kinds that a suite may list or watch; each has a cache of its own in the API server.
var cachedResources = []schema.GroupVersionResource{
	{Version: "v1", Resource: "nodes"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "namespaces"},
	{Version: "v1", Resource: "serviceaccounts"},
	{Version: "v1", Resource: "events"},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
}

func waitUntilExpired(ctx context.Context, client kubernetes.Interface, last int64) error {
	for _, resource := range cachedResources {
		for !isExpired(ctx, client, resource, last) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s still has history: %w", resource.Resource, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return waitUntilReady(client)
}

// isExpired opens a short watch from an old revision. The error comes either as the answer or as
// the first event of the stream.
func isExpired(ctx context.Context, client kubernetes.Interface, resource schema.GroupVersionResource, last int64) bool {
	seconds := int64(1)
	prefix := "/api/v1"
	if resource.Group != "" {
		prefix = "/apis/" + resource.Group + "/" + resource.Version
	}
	stream, err := client.CoreV1().RESTClient().Get().AbsPath(prefix, resource.Resource).
		VersionedParams(&metav1.ListOptions{
			Watch:           true,
			ResourceVersion: strconv.FormatInt(last, 10),
			TimeoutSeconds:  &seconds,
		}, metav1.ParameterCodec).Watch(ctx)
	if err != nil {
		return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
	}
	defer stream.Stop()
	event, open := <-stream.ResultChan()
	if !open {
		return false
	}
	err = apierrors.FromObject(event.Object)
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}
