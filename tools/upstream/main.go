// Command upstream is a plain Go cloud-controller-manager of k8s.io/cloud-provider at the version in go.mod, with a cloud that is
// a JSON file. `upstream describe` prints its flags and gates instead of running. See README.md.
package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/pflag"

	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientfeatures "k8s.io/client-go/features"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/klog/v2"
)

func main() {
	made, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatalf("options: %v", err)
	}
	command := app.NewCloudControllerManagerCommand(made, openCloud, app.DefaultInitFuncConstructors,
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	if len(os.Args) == 2 && os.Args[1] == "describe" {
		if err := describe(os.Stdout, made, command.Flags()); err != nil {
			klog.Fatalf("describe: %v", err)
		}
		return
	}
	os.Exit(cli.Run(command))
}

func openCloud(completed *config.CompletedConfig) cloudprovider.Interface {
	named := completed.ComponentConfig.KubeCloudShared.CloudProvider
	cloud, err := cloudprovider.InitCloudProvider(named.Name, named.CloudConfigFile)
	if err != nil || cloud == nil {
		klog.Fatalf("cloud provider %q: %v", named.Name, err)
	}
	return cloud
}

type flagFacts struct {
	Group      string `json:"group"`
	Name       string `json:"name"`
	Default    string `json:"default"`
	Type       string `json:"type"`
	Shorthand  string `json:"shorthand,omitempty"`
	Deprecated string `json:"deprecated,omitempty"`
	NoValue    string `json:"noValue,omitempty"` // what the flag means without a value
	Hidden     bool   `json:"hidden,omitempty"`
}

type gateFacts struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Stage   string `json:"stage"`
	Locked  bool   `json:"locked,omitempty"`
}

type facts struct {
	Flags       []flagFacts `json:"flags"`
	Gates       []gateFacts `json:"gates"`
	ClientGates []gateFacts `json:"clientGates"`
}

// Add takes the feature gates of Go's client, which the environment sets.
func (f *facts) Add(gates map[clientfeatures.Feature]clientfeatures.FeatureSpec) error {
	for name, spec := range gates {
		f.ClientGates = append(f.ClientGates, gateFacts{string(name), spec.Default, string(spec.PreRelease), spec.LockToDefault})
	}
	return nil
}

// describe writes every flag of the command with its group, and every feature gate that --feature-gates or the environment takes.
func describe(out *os.File, made *options.CloudControllerManagerOptions, all *pflag.FlagSet) error {
	groups := map[string]string{}
	sets := made.Flags(app.ControllerNames(app.DefaultInitFuncConstructors), app.ControllersDisabledByDefault.List(), names.CCMControllerAliases(), nil, nil)
	for group, set := range sets.FlagSets {
		set.VisitAll(func(flag *pflag.Flag) { groups[flag.Name] = group })
	}
	var found facts
	all.VisitAll(func(flag *pflag.Flag) {
		group := groups[flag.Name]
		if group == "" {
			group = "global" // the command itself adds them
		}
		found.Flags = append(found.Flags, flagFacts{group, flag.Name, flag.DefValue, flag.Value.Type(), flag.Shorthand,
			flag.Deprecated, flag.NoOptDefVal, flag.Hidden})
	})
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		found.Gates = append(found.Gates, gateFacts{string(name), spec.Default, string(spec.PreRelease), spec.LockToDefault})
	}
	if err := clientfeatures.AddFeaturesToExistingFeatureGates(&found); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", " ")
	return encoder.Encode(found)
}
