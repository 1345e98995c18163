// Package cloudcommand makes a program the cloud of `ccmctl plugin check --cloud=PROGRAM`. The program gives an
// http.Handler that plays the cloud's API, and functions for what only the cloud can do; unit tests can have the same
// handler with ccmtest.Serve.
//
//	func main() { cloudcommand.Run(cloudcommand.Cloud{Start: start, API: api, AddMachines: add}) }
//
// Each case of the check starts the program once more. docs/provider-authors.md lists what is asked.
package cloudcommand

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// Configuration is what the provider gets from its user.
type Configuration struct {
	CloudConfig string            `json:"cloudConfig,omitempty"` // the text of --cloud-config
	Flags       map[string]string `json:"flags,omitempty"`       // without dashes
	Secrets     map[string]string `json:"secrets,omitempty"`     // what Host.Secret finds
}

// Machine is one that the check asked for.
type Machine struct {
	Name       string `json:"name"`
	ProviderID string `json:"providerID"`
}

// Cloud is what the program can do. Only Start is needed: cases for which a function is missing are skipped. The functions
// are called one at a time.
type Cloud struct {
	// Start gives the provider's configuration. The directory is empty, and this case's own. Take from the seed what has
	// to be random, so that a case can be repeated.
	Start func(directory string, seed uint64) (Configuration, error)
	// API answers the provider's requests. Now(request.Context()) is the host's time, which the check turns.
	API http.Handler

	AddMachines        func(count int, first bool) ([]Machine, error) // first: before the others in a listing
	RemoveMachine      func(machine Machine) error
	SwitchOffMachine   func(machine Machine) error   // it goes on existing
	PlantLoadBalancer  func() (id string, err error) // somebody else's
	RemoveLoadBalancer func(id string) error
	PlantRoute         func(cidr string, machine Machine) error // somebody else's
	ExhaustQuota       func() error                             // no further load balancer can be made
	Snapshot           func() any                               // load balancers and routes; equal JSON = nothing changed
	LoadBalancers      func() int                               // how many load balancers there are, for Snapshot
	Secrets            func() []string                          // texts that must not be in logs
}

type timeKey struct{}

// Now is the host's wall clock at the request with that context.
func Now(ctx context.Context) time.Time {
	if now, ok := ctx.Value(timeKey{}).(time.Time); ok {
		return now
	}
	return time.Now()
}

// At gives a context at which Now is that time.
func At(ctx context.Context, now time.Time) context.Context {
	return context.WithValue(ctx, timeKey{}, now)
}

// Run answers the questions on standard input until that ends. It ends the program when they cannot be read.
func Run(cloud Cloud) {
	if err := Answer(cloud, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Answer reads one question from each line, and writes one answer in each line.
func Answer(cloud Cloud, questions io.Reader, answers io.Writer) error {
	lines, out := bufio.NewReader(questions), json.NewEncoder(answers)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var asked question
		if err == nil {
			err = json.Unmarshal(line, &asked)
		}
		if err != nil {
			return fmt.Errorf("a question of ccmctl: %w", err)
		}
		answer, err := cloud.answer(asked)
		if err != nil {
			answer = failure{err.Error()}
		}
		if err := out.Encode(answer); err != nil {
			return fmt.Errorf("an answer to ccmctl: %w", err)
		}
	}
}

type question struct {
	Do        string
	Directory string
	Seed      uint64

	Method, URL, Body string
	Headers           map[string]string
	ClockMs           int64

	Count int
	First bool

	Name, ProviderID, ID, CIDR string
}

type failure struct {
	Error string `json:"error"`
}

type object map[string]any

var unsupported = object{"unsupported": true}

func (c Cloud) answer(asked question) (any, error) {
	machine := Machine{asked.Name, asked.ProviderID}
	switch {
	case asked.Do == "start" && c.Start != nil:
		return c.Start(asked.Directory, asked.Seed)
	case asked.Do == "http" && c.API != nil:
		return exchange(c.API, asked), nil
	case asked.Do == "add-machines" && c.AddMachines != nil:
		machines, err := c.AddMachines(asked.Count, asked.First)
		return object{"machines": machines}, err
	case asked.Do == "remove-machine" && c.RemoveMachine != nil:
		return object{}, c.RemoveMachine(machine)
	case asked.Do == "switch-off-machine" && c.SwitchOffMachine != nil:
		return object{}, c.SwitchOffMachine(machine)
	case asked.Do == "plant-load-balancer" && c.PlantLoadBalancer != nil:
		id, err := c.PlantLoadBalancer()
		return object{"id": id}, err
	case asked.Do == "remove-load-balancer" && c.RemoveLoadBalancer != nil:
		return object{}, c.RemoveLoadBalancer(asked.ID)
	case asked.Do == "plant-route" && c.PlantRoute != nil:
		return object{}, c.PlantRoute(asked.CIDR, machine)
	case asked.Do == "exhaust-quota" && c.ExhaustQuota != nil:
		return object{}, c.ExhaustQuota()
	case asked.Do == "snapshot" && c.Snapshot != nil:
		answer := object{"snapshot": c.Snapshot()}
		if c.LoadBalancers != nil {
			answer["loadBalancers"] = c.LoadBalancers()
		}
		return answer, nil
	case asked.Do == "secrets" && c.Secrets != nil:
		return object{"secrets": c.Secrets()}, nil
	}
	return unsupported, nil
}

func exchange(api http.Handler, asked question) any {
	request := httptest.NewRequest(asked.Method, asked.URL, strings.NewReader(asked.Body))
	for name, value := range asked.Headers {
		request.Header.Set(name, value)
	}
	now := time.UnixMilli(asked.ClockMs)
	recorder := httptest.NewRecorder()
	api.ServeHTTP(recorder, request.WithContext(At(request.Context(), now)))
	headers := map[string]string{}
	for name, values := range recorder.Result().Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return object{"status": recorder.Code, "headers": headers, "body": recorder.Body.String()}
}
