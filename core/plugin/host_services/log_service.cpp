#include "plugin/host_services/log_service.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <vector>

namespace ccm::plugin {

namespace {

log::Severity severity_of(int32_t level) {
  if (level == CCM_LOG_WARNING) return log::Severity::warning;
  return level < 0 ? log::Severity::error : log::Severity::info;
}

}  // namespace

ccm_bool LogService::enabled(void*, int32_t level) noexcept {
  return level < 0 || log::maybe_enabled(level) ? 1 : 0;  // write() knows the file
}

// The ctx's fields, then the line's own pairs.
void LogService::write(void* self, ccm_ctx ctx, const ccm_log_record* given) noexcept {
  auto& service = *static_cast<LogService*>(self);
  if (given == nullptr || !CCM_HAS(given, message)) return;
  const ccm_log_record record = known(given);
  const std::string_view file = view(record.file);
  const auto component = service.component();
  if (!component) return;
  const std::string& name = component->identity().name;
  if (record.level >= 0 && !log::enabled(record.level, file, service.plugin_id_, name)) return;
  const auto context = component->find_context(ctx);
  const Context::Fields inherited = (context ? context : component->background())->fields();
  std::vector<log::Field> fields;
  fields.reserve(inherited.size());
  for (const auto& [key, value] : inherited) fields.push_back({key, value});
  const KnownSecrets& secrets = *component->runtime().secrets;
  const std::size_t pairs = record.pairs != nullptr ? record.pair_count : 0;
  std::vector<std::string> values;  // which `fields` only refers to
  values.reserve(pairs);
  for (std::size_t index = 0; index < pairs; ++index) {
    values.push_back(secrets.without(view(record.pairs[index].value)));
    fields.push_back({view(record.pairs[index].key), values.back()});
  }
  const std::string message = secrets.without(view(record.message));
  log::Record line;
  line.severity = severity_of(record.level);
  line.verbosity = std::max(record.level, 0);
  line.message = message;
  line.fields = fields;
  line.file = file;
  line.line = record.line;
  line.logger = service.plugin_id_;
  line.component = name;
  log::write(line);
}

const ccm_host_log LogService::kTable{sizeof(kTable), 0, &enabled, &write};

}  // namespace ccm::plugin
