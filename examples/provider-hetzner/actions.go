package main

import (
	"context"
	"fmt"
	"sync"

	"ccm"
)

// action is what the API still works on. A resource on which one runs is locked: the next change is refused meanwhile.
type action struct {
	ID      int64  `json:"id"`
	Command string `json:"command"`
	Status  string `json:"status"` // running, success, error
	Error   *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type actionAnswer struct {
	Action action `json:"action"`
}

// actions are those that were begun and not seen to end, by the path of their resource. They only tell sooner how a change
// went: without them, after a restart, the state of the resource and its lock say all that counts.
type actions struct {
	mutex sync.Mutex
	open  map[string][]int64
}

func (a *actions) began(resource string, begun action) {
	if begun.ID == 0 || begun.Status == "success" {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.open == nil {
		a.open = map[string][]int64{}
	}
	a.open[resource] = append(a.open[resource], begun.ID)
}

func (a *actions) of(resource string) []int64 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return append([]int64{}, a.open[resource]...)
}

func (a *actions) keep(resource string, running []int64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.open, resource)
	if len(running) > 0 {
		a.open[resource] = running
	}
}

// settled asks how the open actions of a resource are. One that failed is told of once: the change is sent once more when the host
// comes back.
func (p *provider) settled(ctx context.Context, resource string) (running bool, err error) {
	open := p.actions.of(resource)
	if len(open) == 0 {
		return false, nil
	}
	if len(open) > pageSize {
		open = open[len(open)-pageSize:]
	}
	query := []string{"per_page", id(pageSize)}
	for _, number := range open {
		query = append(query, "id", id(number))
	}
	var answer struct {
		Actions *[]action `json:"actions"`
	}
	if err := p.api.call(ctx, "ListActions", "GET", path([]any{"actions"}, query...), nil, &answer); err != nil {
		return false, err
	}
	if answer.Actions == nil {
		return false, ccm.Unavailable("ListActions: the answer has no list of actions")
	}
	var left []int64
	for _, each := range *answer.Actions {
		switch {
		case each.Status == "running":
			left = append(left, each.ID)
		case each.Status == "error" && err == nil:
			err = failed(each)
		}
	}
	p.actions.keep(resource, left)
	return len(left) > 0, err
}

func failed(of action) error {
	fault := &ccm.Error{Code: ccm.CodeUnknown, Message: fmt.Sprintf("action %s failed", of.Command)}
	code := ""
	if of.Error != nil {
		code = of.Error.Code
		classify(code, fault)
		fault.Message = fmt.Sprintf("action %s failed: %s (%s)", of.Command, of.Error.Message, code)
	}
	return &apiError{code, fault}
}
