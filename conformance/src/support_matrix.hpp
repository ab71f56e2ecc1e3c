// SPDX-License-Identifier: Apache-2.0
//
// Operator by dtype: "operators.softmax.f32.axis_last" is operator softmax at dtype f32. A cell holds its worst
// verdict.
#ifndef CONFORMANCE_SRC_SUPPORT_MATRIX_HPP_
#define CONFORMANCE_SRC_SUPPORT_MATRIX_HPP_

#include <map>
#include <set>
#include <string>

#include "hal/conformance/report.hpp"

namespace hal::conformance {

struct SupportMatrix {
  std::map<std::string, std::map<std::string, Verdict>> operators;  // by name, then by dtype
  std::set<std::string> dtypes;
};

inline SupportMatrix support_matrix(const std::vector<ReportedCase>& cases) {
  SupportMatrix matrix;
  for (const ReportedCase& item : cases) {
    if (item.level != Level::kOperators) continue;
    const std::string& name = item.result.name;
    const size_t first = name.find('.') + 1, second = name.find('.', first);
    if (second == std::string::npos) continue;
    const size_t third = std::min(name.find('.', second + 1), name.size());
    const std::string dtype = name.substr(second + 1, third - second - 1);
    matrix.dtypes.insert(dtype);
    const auto [cell, is_new] =
        matrix.operators[name.substr(first, second - first)].emplace(dtype, item.result.verdict);
    if (!is_new) cell->second = latch(cell->second, item.result.verdict);
  }
  return matrix;
}

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_SUPPORT_MATRIX_HPP_
