// One call of an API of AWS, and its answer. Plain values.
#pragma once

#include "params.hpp"
#include "xml.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::aws {

// Elastic Load Balancing has two APIs behind one host name: `elb` for classic load balancers,
// `elbv2` for Network Load Balancers and target groups.
enum class Api { ec2, elb, elbv2, sts };
inline constexpr size_t kApis = 4;

struct Call {
  Api api = Api::ec2;
  std::string action;  // "DescribeInstances"; names the call in metrics, logs and messages
  Params params{};
  // Doing it twice is doing it once, so that it is sent again when no answer came. Describe calls
  // always are. Of a write: those that set something; those that delete, when the caller takes
  // "not found" for done; those that create only when the API itself makes them so (AWS-168).
  bool idempotent = false;
  // What a write takes away, in words, for a dry run ("listener 443").
  std::string replaces{};
  // Elements of the answer that nobody reads, left out while it is parsed: large answers only.
  std::vector<std::string_view> skipped{};
};

// Whether the call changes nothing, which its name says: standbys may send it.
[[nodiscard]] bool is_read(std::string_view action);

// The document of an answer of 2xx.
class Answer {
 public:
  // `bytes`: of the body.
  explicit Answer(XmlDocument document, size_t bytes = 0)
      : document_(std::move(document)), bytes_(bytes) {}

  // What the API reference calls the response's elements: the root for EC2,
  // <CreateListenerResult> in <CreateListenerResponse> for the others; the root too when the action
  // has no result. BORROWS from this object, so name the answer before you read from it.
  [[nodiscard]] XmlElement result() const;
  // Whether it is an answer to that call: its root, and of a Describe call what was asked for. AWS
  // writes an empty list as an empty element, so where there is none nobody said that there is
  // nothing.
  [[nodiscard]] bool answers(const Call& call) const;
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  XmlDocument document_;
  size_t bytes_;
};

}  // namespace ccm::aws
