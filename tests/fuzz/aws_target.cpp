// The answers of AWS's APIs (plugins/providers/aws): XML, errors, instances, load balancers; and of
// the metadata service: keys.
// Input: the body of an answer.
// Properties: what was read, written as XML, is read again as the same; a document that is refused
// says where, on one line; the limits hold; a message about keys shows none.
#include "aws/api/error.hpp"
#include "aws/api/xml.hpp"
#include "aws/credentials/json_keys.hpp"
#include "aws/load_balancers/elb.hpp"
#include "aws/load_balancers/groups.hpp"
#include "aws/load_balancers/network.hpp"
#include "aws/nodes/ec2_instance.hpp"
#include "fuzz.hpp"

#include <ccm/testing/fake_objects.hpp>

#include <string>

namespace ccm::fuzz {
namespace {

using aws::XmlDocument;
using aws::XmlElement;

constexpr std::size_t kLongestLine = 600;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '\r') {
      out += "&#13;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string written(XmlElement element) {
  std::string out = "<" + std::string(element.name()) + ">" + escaped(element.text());
  for (const XmlElement child : element.children()) out += written(child);
  return out + "</" + std::string(element.name()) + ">";
}

void check_line(std::string_view line) {
  require(line.find('\n') == line.npos, "a message is one line");
  require(line.size() <= kLongestLine, "and is short");
}

void read_everything(XmlElement element) {
  for (const XmlElement child : element.children()) {
    (void)aws::read_instance(child);
    (void)aws::read_network_balancer(child);
    (void)aws::read_target_group(child);
    (void)aws::read_listener(child);
    (void)aws::read_security_group(child);
    (void)child.number("a");
    read_everything(child);
  }
}

void check_xml(std::string_view text) {
  const auto document = XmlDocument::parse(text);
  if (!document.ok()) return check_line(document.status().message());
  const std::string canonical = written(document->root());
  const auto again = XmlDocument::parse(canonical);
  require(again.ok(), "what was read can be written and read");
  require_equal(canonical, written(again->root()), "and is the same");
  read_everything(document->root());
  const auto few = XmlDocument::parse(text, {}, {1 << 10, 8, 4, 4});
  if (!few.ok()) check_line(few.status().message());
}

}  // namespace

void aws_target(std::string_view bytes) {
  const Exact text(bytes);
  check_xml(text.view());
  const aws::ApiError error = aws::read_error(text.view());
  check_line(one_line(error.message));
  check_line(aws::status_of("DescribeThings", {400, {}, std::string(bytes)}).message());
  testing::FakeObjects objects;
  const auto keys = aws::parse_json_keys(objects.service(), text.view());
  if (!keys.ok()) check_line(keys.status().message());
  (void)aws::parse_expiration(text.view());
}

}  // namespace ccm::fuzz
