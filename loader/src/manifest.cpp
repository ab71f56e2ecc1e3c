// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "filter.hpp"
#include "hal/base.h"

namespace hal::loader {
namespace {

using Json = nlohmann::json;

constexpr int64_t kSchemaVersion = 1;
constexpr size_t kMaxBytes = 1 << 20;

// The parser's own words say line, column and what was expected; its "[json.exception...]" tag says nothing to people.
std::string syntax_message(const Json::parse_error& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return "malformed JSON: " + (end == std::string::npos ? text : text.substr(end + 2));
}

Error wrong_key(const std::string& key, const std::string& expected, const Json& found) {
  return data_corrupt(
      "\"" + key + "\" is " +
      (found.is_null() ? "missing" : found.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 80)) +
      "; expected " + expected);
}

const Json& value_of(const Json& object, const std::string& key) {
  static const Json kMissing;
  const auto found = object.find(key);
  return found == object.end() ? kMissing : *found;
}

Result<std::string> text_of(const Json& object, const std::string& key, const std::string& expected) {
  const Json& value = value_of(object, key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return wrong_key(key, expected, value);
  return value.get<std::string>();
}

// "1.0" to HAL_ABI_MAKE(1, 0).
Result<uint32_t> abi_of(const Json& object) {
  const std::string expected = "a version such as \"1.0\"";
  HAL_TRY_ASSIGN(const std::string text, text_of(object, "abi", expected));
  uint16_t major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [dot, first] = std::from_chars(text.data(), end, major);
  if (first != std::errc() || dot == end || *dot != '.') return wrong_key("abi", expected, object.at("abi"));
  const auto [rest, second] = std::from_chars(dot + 1, end, minor);
  if (second != std::errc() || rest != end) return wrong_key("abi", expected, object.at("abi"));
  return HAL_ABI_MAKE(major, minor);
}

Result<Config> config_of(const Json& object) {
  Config config;
  const Json& values = value_of(object, "config");
  if (values.is_null()) return config;
  if (!values.is_object()) return wrong_key("config", "an object of strings, numbers and booleans", values);
  for (const auto& [key, value] : values.items()) {
    if (value.is_structured() || value.is_null()) {
      return wrong_key("config." + key, "a string, number or boolean", value);
    }
    config[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return config;
}

Result<Manifest> from_json(const Json& object) {
  if (!object.is_object()) return data_corrupt("expected a JSON object at the top");
  const Json& version = value_of(object, "schema_version");
  if (!version.is_number_integer()) return wrong_key("schema_version", "the number 1", version);
  if (version != kSchemaVersion) {
    return Error{HAL_STATUS_INCOMPATIBLE, "\"schema_version\" is " + version.dump() + ", this release reads 1"};
  }
  Manifest manifest;
  HAL_TRY_ASSIGN(manifest.name, text_of(object, "name", "the plugin's name"));
  if (!is_plugin_name(manifest.name)) {
    return wrong_key("name", "[a-z][a-z0-9-]*, at most 32 bytes", object.at("name"));
  }
  HAL_TRY_ASSIGN(manifest.library, text_of(object, "library", "a path, relative to the manifest"));
  HAL_TRY_ASSIGN(manifest.abi_version, abi_of(object));
  if (const Json& arch = value_of(object, "arch"); !arch.is_null()) {
    HAL_TRY_ASSIGN(manifest.arch, text_of(object, "arch", "a machine such as \"x86-64\""));
  }
  if (const Json& priority = value_of(object, "priority"); !priority.is_null()) {
    if (!priority.is_number_integer()) return wrong_key("priority", "a whole number", priority);
    manifest.priority = priority.get<int64_t>();
  }
  if (const Json& enabled = value_of(object, "enabled"); !enabled.is_null()) {
    if (!enabled.is_boolean()) return wrong_key("enabled", "true or false", enabled);
    manifest.enabled = enabled.get<bool>();
  }
  HAL_TRY_ASSIGN(manifest.config, config_of(object));
  return manifest;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text) {
  try {
    return from_json(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return data_corrupt(syntax_message(error));
  } catch (const Json::exception& error) {  // a number that no double holds
    return data_corrupt(std::string("malformed JSON: ") + error.what());
  }
}

Result<Manifest> read_manifest(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (!file) return Error{HAL_STATUS_UNAVAILABLE, "cannot be opened for reading"};
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{HAL_STATUS_UNAVAILABLE, "cannot be read"};
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxBytes) return data_corrupt("larger than 1 MiB; that is not a manifest");
  return parse_manifest(text);
}

}  // namespace hal::loader
