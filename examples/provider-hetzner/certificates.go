package main

import (
	"context"
	"sort"
	"strconv"

	"ccm"
)

// useCertificates gives the services the certificates of these names and ids.
func (p *provider) useCertificates(ctx context.Context, w *wish, names []string) error {
	var ids []int64
	for _, name := range names {
		id, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			id, err = p.api.certificateNamed(ctx, name)
		}
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for i := range w.services {
		if w.services[i].Protocol == "https" {
			w.services[i].HTTP.Certificates = append([]int64{}, ids...)
		}
	}
	return nil
}

func (c *client) certificateNamed(ctx context.Context, name string) (int64, error) {
	var answer struct {
		Certificates *[]struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		} `json:"certificates"`
	}
	if err := c.call(ctx, "GetCertificateByName", "GET", path([]any{"certificates"}, "name", name), nil, &answer); err != nil {
		return 0, err
	}
	if answer.Certificates == nil {
		return 0, ccm.Unavailable("GetCertificateByName: the answer has no list of certificates")
	}
	for _, found := range *answer.Certificates {
		if found.Name == name {
			return found.ID, nil
		}
	}
	return 0, ccm.InvalidSpec("annotation %shttp-certificates: there is no certificate %q", annotationPrefix, name)
}
