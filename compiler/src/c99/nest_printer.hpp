// SPDX-License-Identifier: Apache-2.0
//
// One nest as C statements: loops over its axes, one variable for each node of its expressions.
#ifndef COMPILER_C99_NEST_PRINTER_HPP_
#define COMPILER_C99_NEST_PRINTER_HPP_

#include <map>
#include <unordered_map>

#include "codegen/nest.hpp"
#include "helpers.hpp"

namespace hal::compiler::c99 {

class NestPrinter {
 public:
  // `symbols` are the C names of the program's symbols. A buffer is a pointer "b<number>" of its memory type.
  NestPrinter(const codegen::Nest& nest, const std::map<std::string, std::string>& symbols, Helpers* helpers)
      : nest_(nest), names_(symbols), helpers_(*helpers) {}

  std::string print();
  const std::set<uint32_t>& buffers() const { return buffers_; }

 private:
  using Memo = std::unordered_map<const tile::Expr*, std::string>;

  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void loops(const std::vector<tile::Axis>& axes, size_t first, const std::function<void()>& inside);
  std::string fresh() { return "v" + std::to_string(count_++); }
  std::string define(DType dtype, const std::string& value);

  void element();
  std::string reduce();
  std::string arg_reduce();
  void store(const std::string& value);

  std::string evaluate(const tile::ExprPtr& expr);
  std::string load(const tile::Expr& expr);
  std::string guard(const tile::Expr& expr);
  std::string primitive(const tile::Expr& expr);
  std::string unary(Prim prim, DType from, DType to, const std::string& x);
  std::string binary(Prim prim, DType dtype, const std::string& x, const std::string& y);
  std::string cast(DType from, DType to, CastMode mode, const std::string& x);
  std::string bitcast(DType from, DType to, const std::string& x);
  std::string combine(ReduceKind kind, DType dtype, const std::string& x, const std::string& y);
  std::string identity(ReduceKind kind, DType dtype);
  std::string rounded(DType dtype, const std::string& value);
  std::string wrapped(DType integer, const std::string& x, const char* op, const std::string& y);

 public:
  // An expression of type int64_t.
  static std::string print(const Sym& sym, const std::map<std::string, std::string>& names, Helpers* helpers);

 private:
  std::string print(const Sym& sym) { return print(sym, names_, &helpers_); }

  const codegen::Nest& nest_;
  std::map<std::string, std::string> names_;
  Helpers& helpers_;
  std::set<uint32_t> buffers_;
  Memo memo_;
  std::string out_, accumulator_;
  size_t depth_ = 1;
  int count_ = 0;
};

}  // namespace hal::compiler::c99

#endif  // COMPILER_C99_NEST_PRINTER_HPP_
