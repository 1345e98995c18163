package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"
)

// ClusterUID is the cluster's own identity, for marks in the cloud: the UID of its namespace kube-system. No other cluster has
// it, while --cluster-name is "kubernetes" in most of them. It is asked for once. Empty when the manager may not read that
// namespace, for which plugin.json asks with "rbac" ([{"apiGroups": [""], "resources": ["namespaces"], "resourceNames":
// ["kube-system"], "verbs": ["get"]}]). The error is what kept the API server from answering.
func (h *Host) ClusterUID(ctx context.Context) (string, error) {
	h.configMutex.Lock()
	known := h.clusterUID
	h.configMutex.Unlock()
	if known != nil {
		return *known, nil
	}
	uid, err := h.uidOfKubeSystem(ctx)
	var failure *Error
	if errors.As(err, &failure) && (failure.Code == CodePermissionDenied || failure.Code == CodeNotFound) {
		uid, err = "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the UID of the namespace kube-system: %w", err)
	}
	h.configMutex.Lock()
	h.clusterUID = &uid
	h.configMutex.Unlock()
	return uid, nil
}

func (h *Host) uidOfKubeSystem(ctx context.Context) (uid string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	child, end, err := h.childCtx(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	handle, answer := newAnswer(func(result unsafe.Pointer) {
		withArena(func(a *arena) {
			var found C.ccm_str
			if C.ccm_go_text(&h.services, (*C.ccm_object)(result), a.text("/metadata/uid"), &found) != 0 {
				uid = goString(found)
			}
		})
	})
	withArena(func(a *arena) {
		reference, request := sized[C.ccm_kube_reference](a), sized[C.ccm_kube_get_request](a)
		reference.resource, reference.name = a.text("v1/namespaces"), a.text("kube-system")
		request.reference = reference
		if C.ccm_go_get(&h.services, child, request, handle) == 0 {
			answer.refuse(handle, "the host has no API server")
		}
	})
	return uid, answer.wait(ctx)
}
