package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ccm"
)

// client sends requests to the API of Hetzner Cloud, https://docs.hetzner.cloud.
type client struct {
	host     *ccm.Host
	http     *http.Client
	endpoint string
}

const pageSize = 50 // the most that the API gives

// pagination stands in each listing.
type pagination struct {
	NextPage     *int `json:"next_page"`
	TotalEntries *int `json:"total_entries"`
}

type listing struct {
	Meta struct {
		Pagination *pagination `json:"pagination"`
	} `json:"meta"`
}

// call sends one request and reads its answer; body and answer may be nil. A refusal is an error with the API's code in it.
func (c *client) call(ctx context.Context, operation, method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	ctx = ccm.WithHTTPOptions(ctx, ccm.HTTPOptions{Operation: operation})
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.endpoint, "/")+path, sent)
	if err != nil {
		return err
	}
	token, _ := c.host.Secret("HCLOUD_TOKEN") // each time, so that it can rotate
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return refusal(operation, response, text)
	}
	if answer == nil {
		return nil
	}
	if err := ccm.CheckJSON(text, ccm.JSONLimits{}); err != nil {
		return ccm.Unavailable("%s: the answer %v", operation, err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return ccm.Unavailable("%s: the answer is not the JSON that it should be", operation)
	}
	return nil
}

// path makes a path of segments and a query of pairs.
func path(segments []any, pairs ...string) string {
	made := ""
	for _, segment := range segments {
		switch s := segment.(type) {
		case string:
			made += "/" + url.PathEscape(s)
		case int64:
			made += "/" + strconv.FormatInt(s, 10)
		}
	}
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Add(pairs[i], pairs[i+1])
	}
	if len(query) > 0 {
		made += "?" + query.Encode()
	}
	return made
}
