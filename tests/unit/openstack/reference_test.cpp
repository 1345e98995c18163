// docs/reference/openstack.md is the text that the plugin's own tables make.
#include "openstack/annotation_names.hpp"
#include "openstack/config/options.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr std::string_view kPageHead = R"(# Options and annotations of openstack.so

A test writes this page from the plugin's own tables. [openstack.md](../openstack.md) and
[openstack-load-balancers.md](../openstack-load-balancers.md) say how all this works together.

Options are those of cloud.conf. Durations are Go's: `5s`, `1m30s`. An option that is not here does nothing; the log names
it. `[BlockStorage]` and `[KeyManager]` belong to other programs that share the file.
)";

constexpr std::string_view kAnnotations = R"(
## Annotations of Services
`ccmctl lint --cloud-provider openstack FILE...` finds misspelt names and wrong values in files of Kubernetes objects. A value
that cannot be read is told by the Event `InvalidAnnotation`, and the default holds. Names of options stand for their values.

| annotation | values | default | meaning |
| --- | --- | --- | --- |
)";

std::string reference_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

json manifest() { return json::parse(reference_file(CCM_OPENSTACK_MANIFEST)); }

struct Shown {
  std::string kind;
  std::string fallback;
};

template <typename T>
Shown shown_default(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return {"true, false", value ? "true" : "false"};
  } else if constexpr (std::is_same_v<T, milliseconds>) {
    return {"duration", std::to_string(value.count() / 1000) + "s"};
  } else if constexpr (std::is_integral_v<T>) {
    return {"number", std::to_string(value)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {"text", value};
  } else if constexpr (std::is_same_v<T, Secret>) {
    return {"secret", ""};
  } else {
    return {"text, repeated", ""};
  }
}

template <typename T>
std::string option_table(const std::string& title, std::span<const Option<T>> options) {
  const T defaults;
  std::string text = "\n## " + title + "\n| option | values | default | meaning |\n" +
                     "| --- | --- | --- | --- |\n";
  for (const Option<T>& option : options) {
    const Shown is =
        std::visit([&](auto member) { return shown_default(defaults.*member); }, option.member);
    std::string fallback = is.fallback;
    if (!fallback.empty()) fallback = "`" + fallback + "`";
    text += "| `" + std::string(option.name) + "` | " + is.kind + " | " + fallback +
            (fallback.empty() ? "| " : " | ") + std::string(option.help) + " |\n";
  }
  return text;
}

std::string flag_table() {
  std::string text = "\n## Flags\n| flag | environment | meaning |\n| --- | --- | --- |\n";
  const json all = manifest();
  for (const auto& [name, flag] : all.at("options").items()) {
    const std::string environment = flag.value("environment", "");
    text += "| `--" + name + "` | " + (environment.empty() ? "" : "`" + environment + "` ") + "| " +
            flag.at("description").get<std::string>() + " |\n";
  }
  return text;
}

std::string annotation_table() {
  std::string text(kAnnotations);
  const json all = manifest();
  for (const json& known : all.at("serviceAnnotations").at("known")) {
    text += "| `" + known.at("name").get<std::string>() + "`";
    for (const char* column : {"values", "default", "description"}) {
      text += " | " + known.at(column).get<std::string>();
    }
    text += " |\n";
  }
  return text;
}

std::string reference_page() {
  return std::string(kPageHead) + option_table("[Global]", global_options()) +
         option_table("[Networking]", networking_options()) +
         option_table("[Metadata]", metadata_options()) + option_table("[Route]", route_options()) +
         option_table("[LoadBalancer]", load_balancer_options()) +
         option_table("[LoadBalancerClass \"NAME\"]", load_balancer_class_options()) +
         flag_table() + annotation_table();
}

TEST(OpenStackReferenceTest, ThePageIsWhatTheTablesMake) {
  const std::string made = reference_page();
  const std::string written = ::testing::TempDir() + "openstack.md";
  if (made != reference_file(CCM_OPENSTACK_REFERENCE)) std::ofstream(written) << made;
  EXPECT_EQ(made, reference_file(CCM_OPENSTACK_REFERENCE))
      << "cp " << written << " " << CCM_OPENSTACK_REFERENCE;
}

TEST(OpenStackReferenceTest, OS_196_EveryAnnotationBeginsWithAPrefixOfTheManifest) {
  const json all = manifest();
  std::set<std::string_view> names;
  for (const std::string_view name : annotation::kAll) {
    EXPECT_TRUE(names.insert(name).second) << name;
    bool begins = false;
    for (const json& prefix : all.at("serviceAnnotations").at("prefixes")) {
      begins = begins || name.starts_with(prefix.get<std::string>());
    }
    EXPECT_TRUE(begins) << name;
  }
}

}  // namespace
}  // namespace ccm::openstack
