package ccm

import "testing"

func TestAnObjectOfATest(t *testing.T) {
	object := NewObject(`{"metadata": {"labels": {"a/b": "c"}, "generation": 3}, "list": [{"x": true}]}`)
	for pointer, wanted := range map[string]string{"/metadata/labels/a~1b": "c", "/metadata/generation": "3", "/list/0/x": "true"} {
		if text, ok := object.Text(pointer); !ok || text != wanted {
			t.Errorf("%s is %q", pointer, text)
		}
	}
	for _, pointer := range []string{"/metadata", "/list/1/x", "/list/y", "/none/x", "/metadata/generation/x", ""} {
		if text, ok := object.Text(pointer); ok {
			t.Errorf("%s is %q", pointer, text)
		}
	}
	if len(object.JSON()) == 0 || (*Object)(nil).JSON() != nil || new(Object).JSON() != nil {
		t.Error("its JSON is not what was given")
	}
}
