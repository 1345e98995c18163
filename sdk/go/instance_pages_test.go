package ccm

import (
	"reflect"
	"testing"
)

func page(total int, ids ...string) InstancePage {
	made := InstancePage{Total: total}
	for _, id := range ids {
		made.Instances = append(made.Instances, Instance{ProviderID: id})
	}
	return made
}

func TestPagesThatMoveAreReadOnceMore(t *testing.T) {
	still := []InstancePage{page(3, "a", "b"), page(3, "c")}
	for name, test := range map[string]struct {
		readings [][]InstancePage
		ids      []string
		reads    int
		whole    bool
	}{
		"still":         {[][]InstancePage{still}, []string{"a", "b", "c"}, 1, true},
		"empty":         {[][]InstancePage{{page(0)}}, []string{}, 1, true},
		"one twice":     {[][]InstancePage{{page(3, "a", "b"), page(3, "b")}, still}, []string{"a", "b", "c"}, 2, true},
		"one missed":    {[][]InstancePage{{page(3, "a", "b"), page(2)}, still}, []string{"a", "b", "c"}, 2, true},
		"another total": {[][]InstancePage{{page(4, "a", "b"), page(3, "c")}, still}, []string{"a", "b", "c"}, 2, true},
		// without a total.
		"one page":         {[][]InstancePage{{page(0, "a", "b")}}, []string{"a", "b"}, 1, true},
		"no total":         {[][]InstancePage{{page(0, "a"), page(0, "b")}, {page(0, "a"), page(0, "b")}}, []string{"a", "b"}, 2, true},
		"settled":          {[][]InstancePage{{page(0, "a"), page(0)}, {page(0, "a"), page(0, "b")}, {page(0, "b"), page(0, "a")}}, []string{"b", "a"}, 3, true},
		"restless":         {[][]InstancePage{{page(0, "a"), page(0)}, {page(0, "a"), page(0, "b")}, {page(0, "a"), page(0, "c")}}, []string{"a", "c"}, 3, false},
		"always doubled":   {[][]InstancePage{{page(0, "a"), page(0, "a")}, {page(0, "a"), page(0, "a")}, {page(0, "a"), page(0, "a")}}, []string{"a"}, 3, false},
		"never held still": {[][]InstancePage{{page(2, "a")}, {page(2, "b")}}, []string{"b"}, 2, false},
	} {
		reads := 0
		list, err := ListSteadily(func() ([]InstancePage, error) { reads++; return test.readings[reads-1], nil })
		ids := []string{}
		for _, instance := range list.Instances {
			ids = append(ids, instance.ProviderID)
		}
		if err != nil || reads != test.reads || !reflect.DeepEqual(ids, test.ids) || test.whole != (list.UnknownPrefixes == nil) {
			t.Errorf("%s: %v after %d readings, unknown %q, %v", name, ids, reads, list.UnknownPrefixes, err)
		}
	}
}

func TestAPageThatFailsFailsTheListing(t *testing.T) {
	list, err := ListSteadily(func() ([]InstancePage, error) { return []InstancePage{page(1, "a")}, Unavailable("down") })
	if err == nil || list.Instances != nil {
		t.Errorf("got %v, %v", list, err)
	}
}
