#include "api/schema.hpp"

#include "api/times.hpp"

#include <sstream>

namespace sandbox {
namespace {

using Table = std::map<std::string, std::unique_ptr<Schema>, std::less<>>;

FieldType primitive(std::string_view name) {
  if (name == "string") return FieldType::kString;
  if (name == "bool") return FieldType::kBool;
  if (name == "int") return FieldType::kInteger;
  if (name == "time") return FieldType::kTime;
  if (name == "microtime") return FieldType::kMicroTime;
  if (name == "quantity") return FieldType::kQuantity;
  if (name == "intstr") return FieldType::kIntOrString;
  if (name == "json") return FieldType::kJson;
  if (name == "any") return FieldType::kAny;
  return FieldType::kStruct;
}

const Schema* structure(Table& table, std::string_view name) {
  auto& slot = table[std::string(name)];
  if (!slot) slot = std::make_unique<Schema>();
  slot->name = name;
  return slot.get();
}

void parse_type(Table& table, std::string_view type, Field& field) {
  if (type.starts_with("*")) {
    field.pointer = true;
    type.remove_prefix(1);
  }
  bool list = type.starts_with("[]");
  bool map = type.starts_with("map:");
  std::string_view inner = list ? type.substr(2) : map ? type.substr(4) : type;
  FieldType leaf = primitive(inner);
  if (leaf == FieldType::kStruct) field.structure = structure(table, inner);
  field.element = leaf;
  field.type = list ? FieldType::kList : map ? FieldType::kMap : leaf;
}

void parse_option(const std::string& option, Field& field) {
  if (option == "always") field.always = true;
  if (option == "bytes") field.bytes = true;
  if (option.starts_with("@")) field.number = std::stoi(option.substr(1));
  if (option.starts_with("merge")) field.merge = true;
  if (option.starts_with("merge=")) field.merge_key = option.substr(6);
  if (option.starts_with("keys=")) field.set_key = option.substr(5);
}

Table build_table() {
  Table table;
  std::istringstream lines{std::string(schema_table())};
  std::string line;
  Schema* current = nullptr;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    std::istringstream words(line);
    std::string name, type, option;
    words >> name >> type;
    if (line[0] != ' ') {
      structure(table, name);
      current = table[name].get();
      continue;
    }
    Field field;
    field.name = name;
    parse_type(table, type, field);
    while (words >> option) parse_option(option, field);
    current->fields.emplace(name, std::move(field));
  }
  return table;
}

class Normaliser {
 public:
  explicit Normaliser(DecodeNotes& notes) : notes_(notes) {}

  void structure(const Schema& schema, Json& value) {
    if (!value.is_object()) return wrong_type(value, schema.name);
    for (auto item = value.begin(); item != value.end();) {
      const Field* field = schema.find(item.key());
      if (field == nullptr) note_unknown(item.key());
      bool keep = field != nullptr && !item->is_null();
      if (keep) {
        std::size_t length = enter(item.key());
        keep = member(*field, *item);
        path_.resize(length);
      }
      item = keep ? std::next(item) : value.erase(item);
    }
    fill_in(schema, value);
  }

 private:
  std::size_t enter(const std::string& name) {
    std::size_t length = path_.size();
    if (length != 0) path_ += '.';
    path_ += name;
    return length;
  }

  void note_unknown(const std::string& name) {
    std::size_t length = enter(name);
    notes_.unknown_fields.push_back(path_);
    path_.resize(length);
  }

  void wrong_type(const Json& value, const std::string& wanted) {
    if (!notes_.error.empty()) return;
    notes_.error = "json: cannot unmarshal " + std::string(value.type_name()) +
                   " into Go struct field " + path_ + " of type " + wanted;
  }

  // False: the value is empty and not shown.
  bool member(const Field& field, Json& value) {
    switch (field.type) {
      case FieldType::kStruct:
        structure(*field.structure, value);
        return true;
      case FieldType::kList:
        return list(field, value) || field.always;
      case FieldType::kMap:
        return map(field, value) || field.always;
      default:
        return scalar(field.type, value) || field.pointer || field.always;
    }
  }

  bool list(const Field& field, Json& value) {
    if (!value.is_array()) return wrong_type(value, "list"), true;
    std::size_t length = path_.size();
    for (std::size_t i = 0; i < value.size(); ++i) {
      path_ += "[" + std::to_string(i) + "]";
      element(field, value[i]);
      path_.resize(length);
    }
    return !value.empty();
  }

  bool map(const Field& field, Json& value) {
    if (!value.is_object()) return wrong_type(value, "map"), true;
    for (auto item = value.begin(); item != value.end(); ++item) {
      // Go decodes null as the zero value of the map's element type.
      if (item->is_null() && field.element == FieldType::kString) *item = "";
      std::size_t length = enter(item.key());
      element(field, *item);
      path_.resize(length);
    }
    return !value.empty();
  }

  void element(const Field& field, Json& value) {
    if (field.element == FieldType::kStruct) return structure(*field.structure, value);
    if (value.is_null() && field.element == FieldType::kString) value = "";
    scalar(field.element, value);
  }

  // False for Go's zero value.
  bool scalar(FieldType type, Json& value) {
    switch (type) {
      case FieldType::kString:
        if (!value.is_string()) return wrong_type(value, "string"), true;
        return !value.get_ref<const std::string&>().empty();
      case FieldType::kBool:
        if (!value.is_boolean()) return wrong_type(value, "bool"), true;
        return value.get<bool>();
      case FieldType::kInteger:
        if (!value.is_number_integer()) return wrong_type(value, "int"), true;
        return value != 0;
      case FieldType::kTime:
      case FieldType::kMicroTime:
        return time(type == FieldType::kMicroTime, value);
      case FieldType::kQuantity:
        if (value.is_number_integer()) value = value.dump();
        if (!value.is_string()) wrong_type(value, "resource.Quantity");
        return true;
      case FieldType::kIntOrString:
        if (!value.is_string() && !value.is_number_integer()) wrong_type(value, "intstr");
        return true;
      default:
        return true;
    }
  }

  bool time(bool micro, Json& value) {
    const std::string* text = value.get_ptr<const std::string*>();
    auto parsed = text == nullptr ? std::nullopt : parse_time(*text);
    if (!parsed) return wrong_type(value, micro ? "MicroTime" : "Time"), true;
    value = micro ? format_micro_time(*parsed) : format_time(*parsed);
    return true;
  }

  // Fields that Go shows even when empty: structs, and fields without omitempty.
  void fill_in(const Schema& schema, Json& value) {
    for (const auto& [name, field] : schema.fields) {
      if (value.contains(name)) continue;
      if (field.type == FieldType::kStruct && !field.pointer) {
        value[name] = Json::object();
        fill_in(*field.structure, value[name]);
      } else if (field.always) {
        value[name] = field.type == FieldType::kString    ? Json("")
                      : field.type == FieldType::kInteger ? Json(0)
                                                          : Json();
      }
    }
  }

  DecodeNotes& notes_;
  std::string path_;
};

}  // namespace

const Field* Schema::find(std::string_view name) const {
  auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

const Field* Schema::find(int number) const {
  for (const auto& [name, field] : fields) {
    if (field.number == number && number != 0) return &field;
  }
  return nullptr;
}

const Schema* find_schema(std::string_view name) {
  static const Table& table = *new Table(build_table());
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second.get();
}

void normalise(const Schema& schema, Json& value, DecodeNotes& notes) {
  Normaliser(notes).structure(schema, value);
}

}  // namespace sandbox
