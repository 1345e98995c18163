// One event of a watch on objects of type T. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ccm::election {

template <typename T>
struct ObjectEvent {
  std::optional<T> object;  // none: it was deleted
  std::string failure;      // not empty: the Status with which the server ends the watch
};

// data_loss when the text is no event; `kind` stands in the message.
Result<ObjectEvent<std::string>> parse_event(std::string_view text, std::string_view kind);

// The same with the object as `parse` reads it, whose failure is this one's, too.
template <typename T>
Result<ObjectEvent<T>> parse_event(std::string_view text, std::string_view kind,
                                   Result<T> (*parse)(std::string_view)) {
  auto event = parse_event(text, kind);
  if (!event.ok()) return event.status();
  ObjectEvent<T> result{{}, std::move(event->failure)};
  if (!event->object) return result;
  auto object = parse(*event->object);
  if (!object.ok()) return object.status();
  result.object = std::move(*object);
  return result;
}

}  // namespace ccm::election
