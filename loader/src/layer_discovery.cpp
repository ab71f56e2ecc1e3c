// SPDX-License-Identifier: Apache-2.0
#include "layer_discovery.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "discovery.hpp"
#include "negotiate.hpp"
#include "text.hpp"
#include "trust.hpp"

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

// The items of a list such as MORTISE_LAYERS, between colons or commas.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find_first_of(":,", begin), list.size());
    if (end != begin) items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

bool is_path(const std::string& name) { return name.find('/') != std::string::npos; }

LayerReport from_manifest(const fs::path& path, const std::string& origin) {
  LayerReport report;
  report.name = path.stem().string();
  report.path = fs::absolute(path).lexically_normal().string();
  report.origin = origin;
  report.reason = "not switched on";
  if (Result<void> trusted = check_trusted_file(path); !trusted) {
    report.refuse(trusted.error().message);
    return report;
  }
  Result<Manifest> manifest = read_manifest(path);
  if (!manifest) {
    report.refuse(manifest.error().message);
    return report;
  }
  report.name = manifest->name;
  report.library = (path.parent_path() / manifest->library).lexically_normal().string();
  report.config = std::move(manifest->config);
  report.priority = manifest->priority;
  report.enabled = manifest->enabled;
  if (HAL_ABI_MAJOR_OF(manifest->abi_version) != HAL_ABI_MAJOR) {
    report.refuse("the manifest says ABI " + abi_text(manifest->abi_version) + ", this host speaks " +
                  abi_text(HAL_ABI_VERSION));
  }
  return report;
}

LayerReport from_path(const fs::path& path, const std::string& origin) {
  if (path.extension() == ".json") return from_manifest(path, origin);
  LayerReport report;
  report.name = path.stem().string();
  report.path = report.library = fs::absolute(path).lexically_normal().string();
  report.origin = origin;
  return report;
}

std::vector<LayerReport> in_folder(const fs::path& folder, const std::string& origin) {
  std::vector<LayerReport> reports;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".json") reports.push_back(from_manifest(at->path(), origin));
  }
  std::sort(reports.begin(), reports.end(), [](const LayerReport& a, const LayerReport& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.path < b.path;
  });
  return reports;
}

std::vector<LayerReport> available(const Options& options, const fs::path& library_folder) {
  if (options.explicit_only) return {};
  std::vector<LayerReport> found;
  const auto add = [&](const fs::path& folder, const std::string& origin) {
    for (LayerReport& report : in_folder(folder, origin)) found.push_back(std::move(report));
  };
  for (const std::string& folder : split(options.environment.layer_path)) add(folder, "MORTISE_LAYER_PATH");
  const fs::path& home = options.environment.config_home;
  if (!home.empty()) add(home / "mortise/layers.d", (home / "mortise/layers.d").string());
  add("/etc/mortise/layers.d", "/etc/mortise/layers.d");
  if (!library_folder.empty()) {
    add(library_folder / MORTISE_LAYER_SUBDIR, (library_folder / MORTISE_LAYER_SUBDIR).string());
  }
  return found;
}

// "frame-time" to "FRAME_TIME_": what its variables begin with, after MORTISE_LAYER_.
std::string variable_prefix(const std::string& name) {
  std::string prefix;
  for (const char c : name) prefix += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return prefix + "_";
}

// What can be said of a wanted layer's library before it is opened.
void judge_library(LayerReport& report) {
  Result<void> verdict = check_trusted_file(report.library);
  if (verdict) verdict = check_architecture(report.library, {});
  if (!verdict) report.refuse(verdict.error().message);
}

// Those that are wanted, taken out of `found` one by one.
class Choice {
 public:
  Choice(const Options& options, std::vector<LayerReport>& found) : found_(found) {
    for (const std::string& item : split(options.environment.layers)) {
      if (item[0] == '-') unwanted_.insert(item.substr(1));
    }
  }

  void want(const std::string& item, const std::string& origin) {
    if (item[0] == '-' || unwanted_.count(item) != 0) return;
    LayerReport report = is_path(item) ? from_path(item, origin) : named(item);
    if (!taken_.insert(report.name).second) return;
    report.origin = origin;
    if (report.verdict != HAL_LOADER_REFUSED) {
      report.verdict = HAL_LOADER_TAKEN;
      report.reason.clear();
      judge_library(report);
    }
    chosen_.push_back(std::move(report));
  }

  std::vector<LayerReport> take() { return std::move(chosen_); }

 private:
  LayerReport named(const std::string& name) {
    const auto at =
        std::find_if(found_.begin(), found_.end(), [&](const LayerReport& report) { return report.name == name; });
    if (at != found_.end()) {
      LayerReport report = std::move(*at);
      found_.erase(at);
      return report;
    }
    LayerReport report;
    report.name = name;
    std::vector<std::string> names;
    for (const LayerReport& other : found_) names.push_back(other.name);
    report.refuse(names.empty() ? "there is no layer of that name, and no other; name it by the path of its library"
                                : "there is no layer of that name; there are: " + join(names, ", "));
    return report;
  }

  std::vector<LayerReport>& found_;
  std::set<std::string> unwanted_, taken_;
  std::vector<LayerReport> chosen_;
};

}  // namespace

void add_configuration(const Options& options, LayerReport& report) {
  const std::string prefix = variable_prefix(report.name);
  for (const auto& [variable, value] : options.environment.layer_options) {
    if (variable.size() <= prefix.size() || variable.compare(0, prefix.size(), prefix) != 0) continue;
    std::string key = variable.substr(prefix.size());
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    report.config[key] = value;
  }
  if (const auto given = options.layer_config.find(report.name); given != options.layer_config.end()) {
    for (const auto& [key, value] : given->second) report.config[key] = value;
  }
}

std::vector<LayerReport> discover_layers(const Options& options, const fs::path& library_folder) {
  std::vector<LayerReport> found = available(options, library_folder);
  std::vector<std::pair<std::string, std::string>> enabled;
  for (const LayerReport& report : found) {
    if (report.enabled) enabled.emplace_back(report.name, report.path);
  }
  Choice choice(options, found);
  for (const auto& [name, manifest] : enabled) choice.want(name, manifest);
  for (const std::string& item : split(options.environment.layers)) choice.want(item, "MORTISE_LAYERS");
  for (const std::string& item : options.layers) choice.want(item, "api");
  std::vector<LayerReport> reports = choice.take();
  std::move(found.begin(), found.end(), std::back_inserter(reports));
  std::stable_sort(reports.begin(), reports.end(), [](const LayerReport& a, const LayerReport& b) {
    const auto rank = [](const LayerReport& r) {
      return r.verdict == HAL_LOADER_TAKEN ? 0 : r.verdict == HAL_LOADER_REFUSED ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  return reports;
}

}  // namespace hal::loader
