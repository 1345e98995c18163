package fake

import (
	"net/http"
	"time"
)

type action struct {
	ID       int64     `json:"id"`
	Command  string    `json:"command"`
	Status   string    `json:"status"`
	Progress int       `json:"progress"`
	Started  time.Time `json:"started"`
	Finished *string   `json:"finished"`
	Error    any       `json:"error"`

	ends  time.Time
	apply func()
}

// begin starts an action; `apply` is its effect, at its end.
func (c *Cloud) begin(a *answer, command string, lock *int64, apply func(), more object) {
	began := &action{ID: c.next(), Command: command, Status: "running", Started: c.now, ends: c.now.Add(c.ActionTime)}
	began.apply = func() {
		*lock = 0
		apply()
	}
	if code, fails := c.failing[command]; fails {
		delete(c.failing, command)
		began.apply = func() {
			*lock = 0
			began.Status, began.Error = "error", object{"code": code, "message": "the fake was told to"}
		}
	}
	c.actions[began.ID] = began
	*lock = began.ID
	body := object{"action": began}
	for name, value := range more {
		body[name] = value
	}
	if c.ActionTime == 0 {
		c.finishActions()
	}
	a.send(http.StatusCreated, body)
}

func (c *Cloud) finishActions() {
	for _, id := range sorted(c.actions) {
		each := c.actions[id]
		if each.Status != "running" || each.ends.After(c.now) {
			continue
		}
		each.Status, each.Progress = "success", 100
		finished := c.now.UTC().Format(time.RFC3339)
		each.Finished = &finished
		each.apply()
	}
}

func (c *Cloud) routeActions(a *answer, path []string) {
	switch {
	case a.r.Method != http.MethodGet:
		a.notAllowed()
	case len(path) == 1:
		if found := c.actions[number(path[0])]; found != nil {
			a.send(http.StatusOK, object{"action": found})
		} else {
			a.missing()
		}
	default: // the API lists no actions but those that it is asked about
		ids := a.r.URL.Query()["id"]
		if len(ids) == 0 {
			a.refuse(http.StatusGone, "deprecated_api_endpoint", "give ids of actions")
			return
		}
		var found []any
		for _, id := range ids {
			if each := c.actions[number(id)]; each != nil {
				found = append(found, each)
			}
		}
		a.list("actions", found, c.MostPerPage, "id")
	}
}
