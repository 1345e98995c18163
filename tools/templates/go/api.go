package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"ccm"
)

// api is the cloud's API. Replace what is different in yours.
type api struct {
	host *ccm.Host
	http *http.Client
}

// errNotThere is a 404. It proves something for a path that exists as long as the load balancer does, and for no other.
var errNotThere = errors.New("HTTP 404 Not Found")

// call sends one request and reads its answer; body and answer may be nil. Each request is named, for metrics and messages.
// The host repeats a GET by itself.
func (a *api) call(ctx context.Context, operation, method, path string, body, answer any) error {
	endpoint, _ := a.host.Flag("@NAME@-endpoint")
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	ctx = ccm.WithHTTPOptions(ctx, ccm.HTTPOptions{Operation: operation})
	request, err := http.NewRequestWithContext(ctx, method, endpoint+path, sent)
	if err != nil {
		return err
	}
	// $@VARIABLE@_TOKEN, or the file that $@VARIABLE@_TOKEN_FILE names; read each time, so that it can rotate.
	token, _ := a.host.Secret("@VARIABLE@_TOKEN")
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := a.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%s: %w", operation, errNotThere)
	}
	if err := ccm.HTTPFailure(operation, response); err != nil || answer == nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := ccm.CheckJSON(text, ccm.JSONLimits{}); err != nil {
		return ccm.Unavailable("%s: the answer %v", operation, err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return ccm.Unavailable("%s: the answer is no JSON", operation)
	}
	return nil
}
