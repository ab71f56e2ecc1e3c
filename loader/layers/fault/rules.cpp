// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text.hpp"

namespace hal::layers::fault {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 1 << 20;
constexpr uint64_t kMaxDelay = 60'000'000;

Error wrong(const std::string& place, const std::string& expected, const Json& found) {
  const std::string shown =
      found.is_null() ? "missing" : found.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 80);
  return data_corrupt(place + " is " + shown + "; expected " + expected);
}

// One object of the file, with its place in it.
class Object {
 public:
  static Result<Object> at(const Json& json, std::string place, const std::vector<std::string>& keys) {
    if (!json.is_object()) return wrong(place, "an object", json);
    for (const auto& [key, value] : json.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        return data_corrupt(place + "." + key + " is not known; there are: " + loader::join(keys, ", "));
      }
    }
    return Object(json, std::move(place));
  }

  bool has(const std::string& key) const { return json_->contains(key); }
  const Json& get(const std::string& key) const {
    static const Json kMissing;
    const auto found = json_->find(key);
    return found == json_->end() ? kMissing : *found;
  }
  std::string place(const std::string& key) const { return place_ + "." + key; }

  Result<std::string> text(const std::string& key) const {
    if (!get(key).is_string()) return wrong(place(key), "a text", get(key));
    return get(key).get<std::string>();
  }
  Result<uint64_t> number(const std::string& key, uint64_t least, uint64_t otherwise) const {
    if (!has(key)) return otherwise;
    const Json& value = get(key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least) {
      return wrong(place(key), "a whole number, at least " + std::to_string(least), value);
    }
    return value.get<uint64_t>();
  }
  Result<bool> flag(const std::string& key) const {
    if (!has(key)) return false;
    if (!get(key).is_boolean()) return wrong(place(key), "true or false", get(key));
    return get(key).get<bool>();
  }

 private:
  Object(const Json& json, std::string place) : json_(&json), place_(std::move(place)) {}
  const Json* json_;
  std::string place_;
};

Result<hal_status_code_t> code_of(const Object& object, const std::string& key) {
  HAL_TRY_ASSIGN(const std::string name, object.text(key));
  std::vector<std::string> names;
  for (hal_status_code_t code = 1; code < HAL_STATUS_COUNT_PLUS_ONE_; ++code) {
    if (name == hal_status_code_name(code)) return code;
    names.emplace_back(hal_status_code_name(code));
  }
  return wrong(object.place(key), "one of: " + loader::join(names, ", "), object.get(key));
}

// 50, or [0, 200].
Result<Delay> delay_of(const Object& object) {
  const Json& value = object.get("delay_us");
  const auto is_time = [](const Json& item) { return item.is_number_unsigned() && item.get<uint64_t>() <= kMaxDelay; };
  if (is_time(value)) return Delay{value.get<uint64_t>(), value.get<uint64_t>()};
  if (value.is_array() && value.size() == 2 && is_time(value[0]) && is_time(value[1]) && value[0] <= value[1]) {
    return Delay{value[0].get<uint64_t>(), value[1].get<uint64_t>()};
  }
  return wrong(object.place("delay_us"), "microseconds up to 60000000, or [least, most]", value);
}

Result<Action> action_of(const Json& json, const std::string& place) {
  HAL_TRY_ASSIGN(const Object object,
                 Object::at(json, place, {"fail", "fail_later", "message", "delay_us", "corrupt", "lose_device"}));
  Action action;
  for (const char* const key : {"fail", "fail_later"}) {
    if (!object.has(key)) continue;
    if (action.fail != HAL_STATUS_OK) return wrong(object.place(key), "either fail or fail_later", object.get(key));
    HAL_TRY_ASSIGN(action.fail, code_of(object, key));
    action.fails_later = std::string_view(key) == "fail_later";
  }
  if (object.has("message")) {
    HAL_TRY_ASSIGN(action.message, object.text("message"));
  }
  if (object.has("delay_us")) {
    HAL_TRY_ASSIGN(action.delay, delay_of(object));
  }
  HAL_TRY_ASSIGN(action.corrupts, object.flag("corrupt"));
  HAL_TRY_ASSIGN(action.loses_device, object.flag("lose_device"));
  if (action.fail == HAL_STATUS_OK && !action.delay && !action.corrupts && !action.loses_device) {
    return wrong(place, "fail, fail_later, delay_us, corrupt or lose_device", json);
  }
  return action;
}

Result<void> read_when(const Json& json, const std::string& place, Rule& rule) {
  HAL_TRY_ASSIGN(const Object object, Object::at(json, place, {"nth", "every", "after", "probability"}));
  HAL_TRY_ASSIGN(rule.nth, object.number("nth", 1, 0));
  HAL_TRY_ASSIGN(rule.every, object.number("every", 1, 0));
  HAL_TRY_ASSIGN(rule.after, object.number("after", 0, 0));
  if (!object.has("probability")) return {};
  const Json& probability = object.get("probability");
  if (!probability.is_number() || probability < 0 || probability > 1) {
    return wrong(object.place("probability"), "a number from 0 to 1", probability);
  }
  rule.probability = probability.get<double>();
  return {};
}

Result<Rule> rule_of(const Json& json, const std::string& place, const std::vector<std::string_view>& calls) {
  HAL_TRY_ASSIGN(const Object object, Object::at(json, place, {"call", "plugin", "when", "limit", "then"}));
  Rule rule;
  HAL_TRY_ASSIGN(rule.call, object.text("call"));
  if (std::none_of(calls.begin(), calls.end(), [&](std::string_view call) { return fits(rule.call, call); })) {
    return wrong(object.place("call"), "a call such as \"memory.buffer_create\", or a pattern with *",
                 object.get("call"));
  }
  if (object.has("plugin")) {
    HAL_TRY_ASSIGN(rule.plugin, object.text("plugin"));
  }
  if (object.has("when")) HAL_TRY(read_when(object.get("when"), object.place("when"), rule));
  HAL_TRY_ASSIGN(rule.limit, object.number("limit", 1, UINT64_MAX));
  HAL_TRY_ASSIGN(rule.action, action_of(object.get("then"), object.place("then")));
  if (rule.action.fails_later && rule.call != "queue.submit") {
    return wrong(object.place("call"), "queue.submit, since the rule has fail_later", object.get("call"));
  }
  return rule;
}

Result<Rules> from_json(const Json& json, const std::vector<std::string_view>& calls) {
  HAL_TRY_ASSIGN(const Object object, Object::at(json, "the file", {"$schema", "schema_version", "seed", "rules"}));
  if (object.get("schema_version") != 1) return wrong("schema_version", "the number 1", object.get("schema_version"));
  Rules result;
  HAL_TRY_ASSIGN(result.seed, object.number("seed", 0, 0));
  const Json& rules = object.get("rules");
  if (!rules.is_array()) return wrong("rules", "a list", rules);
  for (size_t i = 0; i < rules.size(); ++i) {
    HAL_TRY_ASSIGN(Rule rule, rule_of(rules[i], "rules[" + std::to_string(i) + "]", calls));
    result.rules.push_back(std::move(rule));
  }
  return result;
}

}  // namespace

Result<Rules> parse_rules(std::string_view text, const std::vector<std::string_view>& calls) {
  if (text.size() > kMaxBytes) return data_corrupt("larger than 1 MiB; that is no file of rules");
  try {
    return from_json(Json::parse(text), calls);
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    const size_t tag = what.find("] ");
    return data_corrupt("malformed JSON: " + (tag == std::string::npos ? what : what.substr(tag + 2)));
  }
}

bool fits(std::string_view glob, std::string_view name) {
  size_t g = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (g < glob.size() && glob[g] == name[n]) {
      ++g, ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), three times.
uint64_t mix(uint64_t seed, uint64_t rule, uint64_t count) {
  uint64_t value = seed;
  for (const uint64_t next : {rule, count, UINT64_C(0)}) {
    value = (value ^ next) + UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    value ^= value >> 31;
  }
  return value;
}

bool strikes(const Rule& rule, uint64_t seed, uint64_t index, uint64_t count) {
  if (rule.nth != 0 && count != rule.nth) return false;
  if (rule.every != 0 && count % rule.every != 0) return false;
  if (count <= rule.after) return false;
  if (rule.probability >= 1.0) return true;
  return static_cast<double>(mix(seed, index, count) >> 11) * 0x1p-53 < rule.probability;
}

}  // namespace hal::layers::fault
