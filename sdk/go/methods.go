package ccm

import (
	"fmt"
	"io"
	"reflect"
)

// interfaces are all that a provider may implement. They are found by type assertion, in which a method with a slip in
// its signature is as good as none; checkMethods tells of it.
var interfaces = []reflect.Type{
	typeOf[Initializer](), typeOf[Shutdowner](), typeOf[ClusterIDHolder](), typeOf[Offerer](), typeOf[io.Closer](),
	typeOf[InstanceLister](), typeOf[InstanceDescriber](), typeOf[InstanceGetter](), typeOf[InstanceLimiter](),
	typeOf[LoadBalancers](), typeOf[LoadBalancerObserver](), typeOf[BackendUpdater](), typeOf[LoadBalancerNamer](),
	typeOf[LoadBalancerLaner](), typeOf[LoadBalancerLimiter](),
	typeOf[Routes](), typeOf[RouteLimiter](), typeOf[OwnedObjects](),
}

func typeOf[I any]() reflect.Type { return reflect.TypeOf((*I)(nil)).Elem() }

// checkMethods fails when the provider has a method of a known name and yet not its interface.
func checkMethods(provider any) error {
	made := reflect.TypeOf(provider)
	if made == nil {
		return &Error{Code: CodeInternal, Message: "the function of ccm.Register gave neither a provider nor an error"}
	}
	for _, known := range interfaces {
		if made.Implements(known) {
			continue
		}
		if made.Kind() != reflect.Pointer && reflect.PointerTo(made).Implements(known) {
			return methodError("%s is %v's only by pointer: give ccm.Register a function that returns *%v", known, made, made)
		}
		for i := 0; i < known.NumMethod(); i++ {
			if err := checkMethod(made, known, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMethod looks at one method of an interface that `made` does not implement.
func checkMethod(made, known reflect.Type, index int) error {
	wanted := known.Method(index)
	have, ok := made.MethodByName(wanted.Name)
	if !ok {
		return nil
	}
	if got := withoutReceiver(have.Type); got != wanted.Type {
		return methodError("method %s has another signature than in %v: it is %v, wanted is %v", wanted.Name, known, got, wanted.Type)
	}
	for i := 0; i < known.NumMethod(); i++ {
		missing := known.Method(i)
		if _, ok := made.MethodByName(missing.Name); !ok {
			return methodError("method %s is there, but %s is missing, which %v has too: %v", wanted.Name, missing.Name, known, missing.Type)
		}
	}
	return nil // another method of it has the wrong signature, and is told of
}

func withoutReceiver(method reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := 1; i < method.NumIn(); i++ {
		in = append(in, method.In(i))
	}
	for i := 0; i < method.NumOut(); i++ {
		out = append(out, method.Out(i))
	}
	return reflect.FuncOf(in, out, method.IsVariadic())
}

func methodError(format string, arguments ...any) error {
	return &Error{Code: CodeInternal, Message: fmt.Sprintf(format, arguments...)}
}
