// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "elf_file.hpp"
#include "negotiate.hpp"
#include "trust.hpp"

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

// One entry of the search: a folder of manifests, a manifest or a library.
struct Place {
  fs::path path;
  std::string origin;
  bool is_explicit = false;
};

// Folders and files of a variable such as MORTISE_PLUGIN_PATH, between colons.
void add_places(const std::string& list, const char* origin, std::vector<Place>& places) {
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end != begin) places.push_back({list.substr(begin, end - begin), origin, false});
    begin = end + 1;
  }
}

std::vector<Place> search_order(const Options& options, const fs::path& library_folder) {
  std::vector<Place> places;
  for (const std::string& path : options.plugin_paths) places.push_back({path, "api", true});
  for (const std::string& path : options.manifest_dirs) places.push_back({path, "api", false});
  if (options.explicit_only) return places;
  const Environment& environment = options.environment;
  add_places(environment.plugin_path, "MORTISE_PLUGIN_PATH", places);
  add_places(environment.plugin_add, "MORTISE_PLUGIN_ADD", places);
  if (!environment.plugin_path.empty()) return places;
  std::vector<fs::path> folders;
  if (!environment.config_home.empty()) folders.push_back(environment.config_home / "mortise/plugins.d");
  folders.emplace_back("/etc/mortise/plugins.d");
  if (!library_folder.empty()) folders.push_back(library_folder / MORTISE_PLUGIN_SUBDIR);
  for (const fs::path& folder : folders) places.push_back({folder, folder.string(), false});
  return places;
}

Result<void> judge_manifest(FileReport& report, std::string& arch) {
  HAL_TRY(check_trusted_file(report.path));
  HAL_TRY_ASSIGN(const Manifest manifest, read_manifest(report.path));
  report.plugin = manifest.name;
  report.library = (fs::path(report.path).parent_path() / manifest.library).lexically_normal().string();
  report.config = manifest.config;
  report.priority = manifest.priority;
  arch = manifest.arch;
  if (HAL_ABI_MAJOR_OF(manifest.abi_version) != HAL_ABI_MAJOR) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the manifest says ABI " + abi_text(manifest.abi_version) +
                                              ", this host speaks " + abi_text(HAL_ABI_VERSION)};
  }
  return {};
}

Result<void> judge(FileReport& report, const Options& options) {
  std::string arch;
  if (fs::path(report.path).extension() == ".json") {
    HAL_TRY(judge_manifest(report, arch));
    if (!options.takes(report.plugin)) {
      report.skip("the filter leaves out \"" + report.plugin + "\"");
      return {};
    }
  } else {
    report.library = report.path;
  }
  HAL_TRY(check_trusted_file(report.library));
  return check_architecture(report.library, arch);
}

FileReport judged(const fs::path& path, const Place& place, const Options& options) {
  FileReport report;
  report.path = fs::absolute(path).lexically_normal().string();
  report.origin = place.origin;
  report.is_explicit = place.is_explicit;
  if (Result<void> verdict = judge(report, options); !verdict) report.refuse(verdict.error());
  return report;
}

FileReport absent(const Place& place, const std::string& reason) {
  FileReport report;
  report.path = place.path.string();
  report.origin = place.origin;
  report.is_explicit = place.is_explicit;
  report.verdict = place.is_explicit ? HAL_LOADER_REFUSED : HAL_LOADER_ABSENT;
  report.code = HAL_STATUS_NOT_FOUND;
  report.reason = reason;
  return report;
}

// The manifests of one folder: higher priority first, then by name, so that the order never depends on the disk.
std::vector<FileReport> judged_folder(const Place& place, const Options& options) {
  std::vector<FileReport> reports;
  std::error_code failed;
  for (fs::directory_iterator at(place.path, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".json") reports.push_back(judged(at->path(), place, options));
  }
  if (failed) return {absent(place, failed.message())};
  std::sort(reports.begin(), reports.end(), [](const FileReport& a, const FileReport& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.path < b.path;
  });
  return reports;
}

}  // namespace

Result<void> check_architecture(const fs::path& library, const std::string& promised) {
  if (!promised.empty() && promised != host_machine()) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the manifest says arch " + promised + ", this is " + host_machine()};
  }
  HAL_TRY_ASSIGN(const ElfFile file, inspect_elf(library));
  const uint32_t sanitizer = sanitizer_of(file);
  if (sanitizer != HAL_SANITIZER_NONE && sanitizer != own_sanitizer()) {
    return Error{HAL_STATUS_INCOMPATIBLE,
                 std::string("built with ") +
                     (sanitizer == HAL_SANITIZER_ADDRESS ? "AddressSanitizer" : "ThreadSanitizer") +
                     ", this host is not; build both the same way"};
  }
  return {};
}

std::vector<FileReport> discover(const Options& options, const fs::path& library_folder) {
  std::vector<FileReport> reports;
  for (const Place& place : search_order(options, library_folder)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(place.path, ignored);
    if (!fs::exists(status)) {
      reports.push_back(absent(place, "there is no such file or folder"));
    } else if (fs::is_directory(status) && !place.is_explicit) {
      for (FileReport& report : judged_folder(place, options)) reports.push_back(std::move(report));
    } else {
      reports.push_back(judged(place.path, place, options));
    }
  }
  return reports;
}

// Found out once: the linker answers nobody while a plugin is stuck in its constructor.
fs::path own_folder() {
  static const fs::path folder = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return fs::path();
    std::error_code ignored;
    return fs::canonical(info.dli_fname, ignored).parent_path();
  }();
  return folder;
}

}  // namespace hal::loader
