package main

import (
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	maxFields = 32 // of one message: kMaxFields in protobuf_table.hpp
	maxDepth  = 16 // of messages within one another: kMaxMessages there
)

// Types that encode themselves, in protobuf or in JSON.
var special = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():          "time",
	reflect.TypeFor[meta.MicroTime]():     "micro_time",
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "int_or_string",
	reflect.TypeFor[meta.FieldsV1]():      "json",
}

type table struct {
	messages []string // in an order in which each follows those that it uses
	names    map[reflect.Type]string
}

func printTable() error {
	t := table{names: map[reflect.Type]string{}}
	for _, r := range append(objects(), others()...) {
		if err := t.add(r.of, 1); err != nil {
			return err
		}
	}
	fmt.Print(`# Kubernetes' messages in protobuf, and how Go writes them as JSON: written by tools/protobuf_table from its Go types.
# A message has its fields in the order of the JSON: number, name, kind or message, shape, when JSON leaves it out
# (protobuf_table.hpp explains the words). Each message follows those that it uses.
`)
	for _, message := range t.messages {
		fmt.Print(message)
	}
	fmt.Println("\n# What informers can read in protobuf.")
	for _, r := range objects() {
		if t.names[r.of] != r.kind {
			return fmt.Errorf("the message of kind %s is called %s", r.kind, t.names[r.of])
		}
		fmt.Printf("kind %s %s\n", r.apiVersion, r.kind)
	}
	return nil
}

func (t *table) add(of reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: nested too deep, or within itself", of)
	}
	if t.names[of] != "" {
		return nil
	}
	var rows []string
	for i := range of.NumField() {
		row, err := t.field(of.Field(i), depth)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", of, of.Field(i).Name, err)
		}
		if row != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 || len(rows) > maxFields {
		return fmt.Errorf("%s: no fields or more than %d", of, maxFields)
	}
	name := t.freeName(of)
	t.names[of] = name
	t.messages = append(t.messages, fmt.Sprintf("\nmessage %s\n%s", name, strings.Join(rows, "")))
	return nil
}

// The type's name, after its group's when another type has it: "DiscoveryEndpointPort".
func (t *table) freeName(of reflect.Type) string {
	for _, taken := range t.names {
		if taken == of.Name() {
			group := path.Base(path.Dir(of.PkgPath()))
			return strings.ToUpper(group[:1]) + group[1:] + of.Name()
		}
	}
	return of.Name()
}

// A field as a row of the table; empty for a TypeMeta, which the envelope has in protobuf.
func (t *table) field(f reflect.StructField, depth int) (string, error) {
	json := strings.Split(f.Tag.Get("json"), ",")
	wire := strings.Split(f.Tag.Get("protobuf"), ",")
	if f.Type == reflect.TypeFor[meta.TypeMeta]() {
		return "", nil
	}
	if len(wire) < 3 || json[0] == "" || json[0] == "-" {
		return "", fmt.Errorf("no usable tags: %q", f.Tag)
	}
	number, err := strconv.Atoi(wire[1])
	if err != nil || number < 1 || number > 63 {
		return "", fmt.Errorf("field number %s", wire[1])
	}
	var omitEmpty, omitZero bool
	for _, option := range json[1:] {
		omitEmpty = omitEmpty || option == "omitempty"
		omitZero = omitZero || option == "omitzero"
	}
	shape := "single"
	of := f.Type
	switch {
	case of.Kind() == reflect.Pointer:
		shape, of = "pointer", of.Elem()
	case of.Kind() == reflect.Map:
		if of.Key().Kind() != reflect.String {
			return "", fmt.Errorf("a map with keys of %s", of.Key())
		}
		shape, of = "map", of.Elem()
	case of.Kind() == reflect.Slice && of.Elem().Kind() != reflect.Uint8:
		shape, of = "repeated", of.Elem()
	}
	kind, err := kindOf(of)
	if err != nil {
		return "", err
	}
	if shape == "repeated" && kind != "string" && kind != "message" {
		return "", fmt.Errorf("a list of %s", of)
	}
	if omitZero && kind != "time" {
		return "", fmt.Errorf("omitzero of %s", of)
	}
	if kind == "message" {
		if err := t.add(of, depth+1); err != nil {
			return "", err
		}
		kind = t.names[of]
	}
	omit := "never"
	if omitZero {
		omit = "zero"
	} else if omitEmpty {
		omit = "empty"
	}
	return fmt.Sprintf("  %d %s %s %s %s\n", number, json[0], kind, shape, omit), nil
}

func kindOf(of reflect.Type) (string, error) {
	if kind := special[of]; kind != "" {
		return kind, nil
	}
	switch of.Kind() {
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Int32:
		return "int32", nil
	case reflect.Int64:
		return "int64", nil
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "bytes", nil
		}
	case reflect.Struct:
		// A type with an encoding of its own is none of ours unless it is listed above.
		_, marshals := reflect.PointerTo(of).MethodByName("MarshalJSON")
		if !marshals {
			return "message", nil
		}
	}
	return "", fmt.Errorf("the table has no kind for %s", of)
}
