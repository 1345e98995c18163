// The manifest of a plugin: what it is, what it needs and its flags, as JSON text in the plugin's
// ELF note. docs/reference/plugin-manifest.md describes the fields for authors. Any thread; plain
// values.
#pragma once

#include "plugin_files/service_annotations.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

enum class ComponentKind { controller, provider };
std::string_view to_string(ComponentKind kind);

struct Component {
  ComponentKind kind = ComponentKind::controller;
  std::string name;                  // as in --controllers (HOST-75) or --cloud-provider (HOST-12)
  std::vector<std::string> aliases;  // further names of a controller
  std::string client_name;  // user agent suffix (HOST-82); the component's name when not given
  bool enabled_by_default = true;                 // part of "*" in --controllers
  std::vector<std::string> interfaces;            // ids that the component offers
  std::vector<std::string> provider_id_prefixes;  // "digitalocean://"; providers only

  // Its name and its aliases.
  [[nodiscard]] std::vector<std::string> names() const;
};

enum class OptionType { string, boolean, integer, duration, string_array };
std::string_view to_string(OptionType type);

// A command-line flag of the plugin.
struct Option {
  std::string name;  // without dashes
  OptionType type = OptionType::string;
  std::string default_value;  // as text that the flag would take; lists joined by commas
  std::string description;
  std::optional<int64_t> minimum;  // integers as they are, durations in nanoseconds
  std::optional<int64_t> maximum;
  std::vector<std::string> allowed;  // "enum"; empty = any
  std::string environment;           // variable that gives the value when the flag is not set
  bool secret = false;               // its value is shown nowhere
};

// One rule of a ClusterRole that the plugin needs in addition to the host's own.
struct RbacRule {
  std::vector<std::string> api_groups;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;
  std::vector<std::string> resource_names;
  bool optional = false;                   // without it the plugin does less, but does not wait
  std::vector<std::string> controllers{};  // counts when one of them runs; empty: always
};

// Objects that the host keeps in its cache for the plugin.
struct CacheRead {
  std::string resource;             // "v1/nodes", "discovery.k8s.io/v1/endpointslices"
  std::vector<std::string> fields;  // JSON pointers
};

struct Manifest {
  std::string id;
  std::string version;
  std::string vendor;
  std::string description;
  uint32_t abi_major = 0;
  uint32_t abi_minor = 0;
  std::string language;            // "c", "c++", "go", "rust", ...; may be empty
  bool nonblocking = false;        // operations run on the loop instead of the worker pool
  uint32_t max_parallel = 1;       // worker threads at once
  std::vector<std::string> needs;  // ids of host interfaces without which it cannot work
  std::vector<Component> components;
  std::vector<Option> options;  // in the order of their names
  std::vector<RbacRule> rbac;   // with those that `reads` needs
  std::vector<CacheRead> reads;
  std::optional<AnnotationTable> service_annotations;

  // NULL when there is none of that kind and name (aliases count).
  [[nodiscard]] const Component* find(ComponentKind kind, std::string_view name) const;
};

struct ManifestReport {
  std::optional<Manifest> manifest;   // set when there are no faults
  std::vector<std::string> faults;    // one line each: "components[0].kind: must be ..."
  std::vector<std::string> warnings;  // unknown fields
};

// Takes any bytes; never throws.
ManifestReport parse_manifest(std::string_view text);

// The interfaces that this host offers to components: a manifest's "needs" is checked against them.

// Ids of the host services and of the cloud interfaces that the broker hands to controllers.
std::span<const std::string_view> host_interfaces();

}  // namespace ccm::plugin_files
