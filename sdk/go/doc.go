// Package ccm makes a Go program a cloud provider of the cloud controller manager: a plugin that the host loads.
//
//	func init() { ccm.Register("mycloud", newCloud) }
//	func main() {}
//
// newCloud returns a value of any type; which interfaces of this package its methods satisfy (InstanceLister,
// LoadBalancers, Routes, Initializer, ...) decides what the provider offers. Each operation runs in a goroutine of its
// own and may block. Its context ends when the host stops waiting, and counts as cancelled from the moment at which the
// operation returned.
//
// Build with `go build -buildmode=c-shared`. The folder needs plugin.json, with "nonblocking": true, and a copy of
// manifest.go of the example (share/ccm/examples/provider-go where the SDK is installed), which puts it into the file.
// Package ccm/ccmtest is a host for `go test`.
//
// The process is the host's. A provider calls no signal.Notify, os.Exit, log.Fatal, os.Setenv or os.Chdir, and starts
// goroutines with Host.Go: a panic in any other one ends the process, and no host can prevent that. A panic inside an
// operation is that operation's failure.
package ccm
