package fake

import (
	"encoding/json"
	"net/http"
	"sort"
	"strconv"
	"strings"
)

type object map[string]any

// answer is one to a request.
type answer struct {
	w      http.ResponseWriter
	r      *http.Request
	status int
}

func (a *answer) send(status int, body any) {
	a.status = status
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(a.w).Encode(body)
	}
}

func (a *answer) refuse(status int, code, message string) {
	a.send(status, object{"error": object{"code": code, "message": message, "details": nil}})
}

func (a *answer) missing() { a.refuse(http.StatusNotFound, "not_found", "entity not found") }
func (a *answer) invalid(message string) {
	a.refuse(http.StatusUnprocessableEntity, "invalid_input", message)
}
func (a *answer) locked() {
	a.refuse(http.StatusLocked, "locked", "an action is running on it")
}
func (a *answer) notAllowed() {
	a.refuse(http.StatusMethodNotAllowed, "method_not_allowed", "method is not allowed")
}

// read reads the body; a member that the reference does not know is refused.
func (a *answer) read(into any) bool {
	decoder := json.NewDecoder(a.r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if _, syntax := err.(*json.SyntaxError); syntax {
		a.refuse(http.StatusBadRequest, "json_error", err.Error())
	} else if err != nil {
		a.invalid(err.Error())
	}
	return err == nil
}

// list sends one page of what there is. `allowed` are the parameters that this listing has besides those of pages.
func (a *answer) list(name string, all []any, most int, allowed ...string) {
	query := a.r.URL.Query()
	known := map[string]bool{"page": true, "per_page": true, "sort": true}
	for _, parameter := range allowed {
		known[parameter] = true
	}
	for parameter := range query {
		if !known[parameter] {
			a.invalid("unknown parameter " + parameter)
			return
		}
	}
	page, size := 1, 25
	for parameter, into := range map[string]*int{"page": &page, "per_page": &size} {
		if text := query.Get(parameter); text != "" {
			number, err := strconv.Atoi(text)
			if err != nil || number < 1 || parameter == "per_page" && number > most {
				a.invalid(parameter + " is " + text)
				return
			}
			*into = number
		}
	}
	first, last := (page-1)*size, page*size
	if first > len(all) {
		first = len(all)
	}
	if last > len(all) {
		last = len(all)
	}
	pages := (len(all) + size - 1) / size
	if pages == 0 {
		pages = 1
	}
	pagination := object{"page": page, "per_page": size, "previous_page": nil, "next_page": nil, "last_page": pages, "total_entries": len(all)}
	if page > 1 {
		pagination["previous_page"] = page - 1
	}
	if page < pages {
		pagination["next_page"] = page + 1
	}
	a.send(http.StatusOK, object{name: append([]any{}, all[first:last]...), "meta": object{"pagination": pagination}})
}

// labelled says whether labels match the one form of selector that the provider sends.
func (a *answer) labelled(labels map[string]string) bool {
	text := a.r.URL.Query().Get("label_selector")
	if text == "" {
		return true
	}
	key, value, ok := strings.Cut(text, "==")
	found, has := labels[key]
	return ok && has && found == value
}

func (a *answer) named(name string) bool {
	wanted := a.r.URL.Query().Get("name")
	return wanted == "" || wanted == name
}

// number reads an id of the path; 0 for what is none.
func number(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func sorted[V any](all map[int64]V) []int64 {
	ids := make([]int64, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}

// labelsFault says what is wrong with labels; empty = nothing.
func labelsFault(labels map[string]string) string {
	for key, value := range labels {
		name := key
		if prefix, rest, ok := strings.Cut(key, "/"); ok {
			name = rest
			if prefix == "" || len(prefix) > 253 {
				return "label " + key + " has a wrong prefix"
			}
		}
		if name == "" || !isLabelText(name) || !isLabelText(value) {
			return "label " + key + "=" + value + " is wrong"
		}
	}
	return ""
}

func isLabelText(text string) bool {
	if len(text) > 63 {
		return false
	}
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || i == len(text)-1 || !strings.ContainsRune("-_.", c)) {
			return false
		}
	}
	return true
}
