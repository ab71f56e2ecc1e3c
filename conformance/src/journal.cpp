// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "result_json.hpp"

namespace hal::conformance {
namespace {

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string header_line(const JournalHeader& header) {
  return dump({{"journal_version", 1},
               {"suite_version", header.suite_version},
               {"case_list_hash", header.case_list_hash},
               {"seed", header.seed},
               {"target", header.target}});
}

Error cannot(const std::string& what, const std::string& path) {
  return Error{HAL_STATUS_UNAVAILABLE, what + " " + path + ": " + std::strerror(errno)};
}

Result<void> write_line(int descriptor, const std::string& line) {
  const std::string text = line + "\n";
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t count = write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("writing", "the journal");
    at += static_cast<size_t>(count);
  }
  if (fdatasync(descriptor) != 0 && errno != EINVAL && errno != EROFS) return cannot("syncing", "the journal");
  return {};
}

// Whole lines only: what follows the last newline was torn.
std::vector<std::string> whole_lines(const std::string& text, size_t& whole_bytes) {
  std::vector<std::string> lines;
  size_t at = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  whole_bytes = at;
  return lines;
}

}  // namespace

std::string result_to_line(const CaseResult& result) { return dump(result_to_json(result)); }

Result<CaseResult> result_from_line(std::string_view line) {
  try {
    return result_from_json(nlohmann::json::parse(line));
  } catch (const nlohmann::json::exception& error) {
    return data_corrupt(std::string("not a case result: ") + error.what());
  }
}

Journal::Journal(Journal&& other) noexcept { *this = std::move(other); }

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(results_, other.results_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<Journal> Journal::create(const std::string& path, const JournalHeader& header) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot("opening the journal", path);
  Journal journal(descriptor);
  HAL_TRY(write_line(descriptor, header_line(header)));
  return journal;
}

Result<Journal> Journal::resume(const std::string& path, const JournalHeader& header) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return create(path, header);
  std::stringstream stream;
  stream << file.rdbuf();
  size_t whole_bytes = 0;
  const std::vector<std::string> lines = whole_lines(stream.str(), whole_bytes);
  if (lines.empty()) return create(path, header);
  if (lines.front() != header_line(header)) {
    return Error{
        HAL_STATUS_FAILED_PRECONDITION,
        path + " belongs to another run (plugin, cases, seed or suite differ); run without --resume to start anew"};
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return cannot("opening the journal", path);
  Journal journal(descriptor);
  if (ftruncate(descriptor, static_cast<off_t>(whole_bytes)) != 0) return cannot("truncating", path);
  for (size_t i = 1; i < lines.size(); i++) {
    auto result = result_from_line(lines[i]);
    if (!result) return data_corrupt(path + ":" + std::to_string(i + 1) + ": " + result.error().message);
    journal.results_.push_back(std::move(result).value());
  }
  return journal;
}

Result<void> Journal::append(const CaseResult& result) { return write_line(descriptor_, result_to_line(result)); }

}  // namespace hal::conformance
