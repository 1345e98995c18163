package cloudcommand_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccm/cloudcommand"
)

// answers are the lines that a cloud answers to these questions.
func answers(t *testing.T, cloud cloudcommand.Cloud, questions ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := cloudcommand.Answer(cloud, strings.NewReader(strings.Join(questions, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func expect(t *testing.T, got []string, wanted ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(wanted, "\n") {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

func TestWhatOnlyTheCloudCanDo(t *testing.T) {
	var seen []string
	saw := func(format string, arguments ...any) { seen = append(seen, fmt.Sprintf(format, arguments...)) }
	cloud := cloudcommand.Cloud{
		Start: func(directory string, seed uint64) (cloudcommand.Configuration, error) {
			saw("%s %d", directory, seed)
			return cloudcommand.Configuration{Flags: map[string]string{"a": "b"}}, nil
		},
		AddMachines: func(count int, first bool) ([]cloudcommand.Machine, error) {
			saw("%d %v", count, first)
			return []cloudcommand.Machine{{Name: "m", ProviderID: "acme://1"}}, nil
		},
		RemoveMachine:      func(m cloudcommand.Machine) error { saw("%v", m); return nil },
		SwitchOffMachine:   func(m cloudcommand.Machine) error { saw("off %v", m); return nil },
		PlantLoadBalancer:  func() (string, error) { return "", errors.New("full") },
		RemoveLoadBalancer: func(id string) error { saw(id); return nil },
		PlantRoute:         func(cidr string, m cloudcommand.Machine) error { saw("%s %v", cidr, m); return nil },
		ExhaustQuota:       func() error { return nil },
		Snapshot:           func() any { return []int{} },
		LoadBalancers:      func() int { return 3 },
		Secrets:            func() []string { return []string{"hush"} },
	}
	expect(t, answers(t, cloud,
		`{"do":"start","directory":"/d","seed":18446744073709551615}`,
		`{"do":"add-machines","count":2,"first":true}`,
		`{"do":"remove-machine","name":"m","providerID":"acme://1"}`,
		`{"do":"switch-off-machine","name":"m","providerID":"acme://1"}`,
		`{"do":"plant-load-balancer"}`,
		`{"do":"remove-load-balancer","id":"7"}`,
		`{"do":"plant-route","cidr":"10.0.0.0/24","name":"m","providerID":"acme://1"}`,
		`{"do":"exhaust-quota"}`, `{"do":"snapshot"}`, `{"do":"secrets"}`, `{"do":"dance"}`),
		`{"flags":{"a":"b"}}`, `{"machines":[{"name":"m","providerID":"acme://1"}]}`, `{}`, `{}`, `{"error":"full"}`, `{}`, `{}`, `{}`,
		`{"loadBalancers":3,"snapshot":[]}`, `{"secrets":["hush"]}`, `{"unsupported":true}`)
	expect(t, seen, "/d 18446744073709551615", "2 true", "{m acme://1}", "off {m acme://1}", "7", "10.0.0.0/24 {m acme://1}")
}

func TestAnExchange(t *testing.T) {
	cloud := cloudcommand.Cloud{API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method, " ", r.Host, r.URL.Path, " ", r.Header.Get("Authorization"), " ", string(body), " ",
			cloudcommand.Now(r.Context()).UTC().Format(time.RFC3339))
	})}
	expect(t, answers(t, cloud,
		`{"do":"http","method":"PUT","url":"https://acme.example/v1","headers":{"authorization":"Bearer x"},"body":"{}","clockMs":3600000}`),
		`{"body":"PUT acme.example/v1 Bearer x {} 1970-01-01T01:00:00Z","headers":{"retry-after":"3"},"status":418}`)
}

func TestWhatIsMissingIsUnsupported(t *testing.T) {
	for _, question := range []string{"start", "http", "add-machines", "remove-machine", "switch-off-machine", "plant-load-balancer", "remove-load-balancer",
		"plant-route", "exhaust-quota", "snapshot", "secrets"} {
		expect(t, answers(t, cloudcommand.Cloud{}, `{"do":"`+question+`"}`), `{"unsupported":true}`)
	}
}

func TestALineThatIsNoQuestionEndsTheProgram(t *testing.T) {
	if err := cloudcommand.Answer(cloudcommand.Cloud{}, strings.NewReader("{\n"), io.Discard); err == nil {
		t.Error("it was taken")
	}
}
