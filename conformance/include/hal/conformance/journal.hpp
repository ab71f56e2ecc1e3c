// SPDX-License-Identifier: Apache-2.0
//
// The journal: one line of JSON for each finished case, on the disk before the next is counted, so that a run that was
// killed goes on where it stopped. A last line that was torn is dropped.
#ifndef HAL_CONFORMANCE_JOURNAL_HPP_
#define HAL_CONFORMANCE_JOURNAL_HPP_

#include "hal/conformance/report.hpp"

namespace hal::conformance {

// What a journal belongs to. A journal of another run is refused.
struct JournalHeader {
  std::string suite_version;
  uint64_t case_list_hash = 0;
  uint64_t seed = 0;
  std::string target;  // plugin path, build id, device, configuration
  bool operator==(const JournalHeader&) const = default;
};

class Journal {
 public:
  // Starts a new journal; one that exists is replaced.
  static Result<Journal> create(const std::string& path, const JournalHeader& header);
  // Opens one to go on. FAILED_PRECONDITION if it is of another run. A missing file is a new journal.
  static Result<Journal> resume(const std::string& path, const JournalHeader& header);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  ~Journal();

  // Appends one result and returns when it is on the disk.
  Result<void> append(const CaseResult& result);
  const std::vector<CaseResult>& results() const { return results_; }  // those found by resume

 private:
  explicit Journal(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
  std::vector<CaseResult> results_;
};

// One result as JSON and back. Reading untrusted text: DATA_CORRUPT.
std::string result_to_line(const CaseResult& result);
Result<CaseResult> result_from_line(std::string_view line);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_JOURNAL_HPP_
