package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const objectsOfEachKind = 8

// A line for each object: its apiVersion, its kind, its protobuf form in base64, its JSON form. Both
// are what an API server sends, which has read the object from its storage: the JSON is made of what
// the protobuf form says. The objects are random, and the same in each run.
func printObjects() error {
	random := filler{rand.New(rand.NewPCG(1, 36))}
	for _, r := range objects() {
		for i := range objectsOfEachKind {
			made := reflect.New(r.of)
			if i > 0 { // the first one is empty
				random.fill(made.Elem())
			}
			if err := printObject(r, made); err != nil {
				return fmt.Errorf("%s: %w", r.kind, err)
			}
		}
	}
	return nil
}

func printObject(r root, made reflect.Value) error {
	wire, err := made.Interface().(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		return err
	}
	stored := reflect.New(r.of)
	if err := stored.Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(wire); err != nil {
		return err
	}
	stored.Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(meta.TypeMeta{APIVersion: r.apiVersion, Kind: r.kind}))
	text, err := json.Marshal(stored.Interface())
	if err != nil {
		return err
	}
	fmt.Println(r.apiVersion, r.kind, base64.StdEncoding.EncodeToString(wire), string(text))
	return nil
}

type filler struct{ *rand.Rand }

func pick[T any](f filler, values ...T) T { return values[f.IntN(len(values))] }

func (f filler) text() string {
	return pick(f, "", "", "a", "Ready", "kube-system", "ü ☃ 𝄞", "say \"hi\"\n\t\\", "<&>\u2028", "\x00\x1f\x7f",
		"broken \xff\xc3( UTF-8", "kubelet is posting ready status", "a.very.long/name-"+fmt.Sprint(f.Uint64()))
}

func (f filler) time() time.Time {
	return pick(f, time.Time{}, time.Unix(0, 0), time.Unix(-1, 0), time.Unix(1_760_000_000+f.Int64N(1e8), f.Int64N(1e9)),
		time.Unix(951_782_400, 7_000), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC))
}

func (f filler) fill(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *meta.Time:
		p.Time = f.time()
		return
	case *meta.MicroTime:
		p.Time = f.time()
		return
	case *resource.Quantity:
		*p = resource.MustParse(pick(f, "0", "2", "1500m", "16374700Ki", "1e3", "0.5", "100Gi", "-3", "1u", "12345678901234567890"))
		return
	case *intstr.IntOrString:
		*p = pick(f, intstr.FromInt32(0), intstr.FromInt32(8080), intstr.FromString("http"), intstr.FromString(""), intstr.FromInt32(-1))
		return
	case *meta.FieldsV1:
		p.SetRawString(pick(f, `{"f:metadata":{"f:labels":{".":{},"k:{\"a\":1}":{}}}}`, `{}`, `{"v:1.5":{},"i:0":[null,true,-7,1e300]}`))
		return
	case *meta.TypeMeta: // not part of the protobuf form
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32:
		v.SetInt(pick(f, 0, 1, -1, 80, math.MaxInt32, math.MinInt32, int64(f.Int32())))
	case reflect.Int64:
		v.SetInt(pick(f, 0, 1, -1, 300, math.MaxInt64, math.MinInt64, f.Int64()))
	case reflect.Pointer:
		if f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), pick(f, 0, 1, 2, 3), 4))
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.Index(i).SetUint(f.Uint64N(256))
			} else {
				f.fill(v.Index(i))
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key := reflect.New(v.Type().Key()).Elem()
			value := reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	}
}
