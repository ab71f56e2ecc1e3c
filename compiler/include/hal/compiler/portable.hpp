// SPDX-License-Identifier: Apache-2.0
//
// The portable layer: SSA over tensors with about 50 primitives (primitives.hpp). A module knows no device. This is
// what operators become, what the interpreter runs, and what a vendor may receive. Not here: schedules, buffers,
// placement.
#ifndef HAL_COMPILER_PORTABLE_HPP_
#define HAL_COMPILER_PORTABLE_HPP_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hal/compiler/primitives.hpp"
#include "hal/compiler/sym.hpp"
#include "hal/compiler/tensor.hpp"

namespace hal::compiler {

struct TensorType {
  DType dtype = DType::kNone;
  Shape shape;
  friend bool operator==(const TensorType& a, const TensorType& b) { return a.dtype == b.dtype && a.shape == b.shape; }
};
std::string text(const TensorType& type);  // "f32[N, 3]"

using ValueId = uint32_t;

// Only the fields that the primitive's row names are read; the others keep their defaults.
struct Attributes {
  std::vector<int64_t> axes;
  Shape shape, low, high, step, size, dilation, interior;
  std::vector<Sym> syms;
  DType dtype = DType::kNone;        // of the result
  DType accumulator = DType::kNone;  // kNone: the result's
  Predicate predicate = Predicate::kEq;
  ReduceKind reduce = ReduceKind::kNone;
  CastMode cast = CastMode::kSaturate;
  Order order = Order::kAny;
  uint32_t constant = 0;                 // index in Module::constants
  std::vector<std::vector<int>> labels;  // contract: of operand 0, operand 1 and the result; one label per axis
};

struct Op {
  Prim prim;
  std::vector<ValueId> operands;
  ValueId result = 0;
  Attributes attributes;
  std::string label;  // where it comes from, for messages and kernel names: "Softmax node_12"
};

struct Value {
  TensorType type;
  std::string name;  // of a parameter or for printing; may be empty
};

// A function: parameters are values 0..parameter_count-1; each op defines one value; ops are in dependency order.
struct Function {
  std::string name;
  std::vector<Value> values;
  uint32_t parameter_count = 0;
  std::vector<Op> ops;
  std::vector<ValueId> results;
  std::vector<std::string> result_names;
};

struct Module {
  Function function;
  std::vector<Tensor> constants;
  SymRanges ranges;                  // of the symbols
  std::vector<std::string> symbols;  // every free symbol, in the order of appearance in parameters
};

// The elements of a small integer tensor as expressions, row-major: how shapes are values.
using Contents = std::vector<Sym>;
inline constexpr size_t kMaxContents = 64;

// An extent that depends on data: of a buffer's axis the first `count` (an i64 scalar) are meant, the rest is
// undefined.
struct Bound {
  int64_t axis;
  ValueId count;
};

// Makes functions. Every op is checked and its result type inferred when it is added, so what a builder made verifies.
// It also follows the contents of small i32/i64/bool tensors through the primitives (constants, syms, arithmetic,
// casts, slices, gathers, concats, reshapes ...), so that shape arithmetic folds.
class Builder {
 public:
  explicit Builder(std::string name);

  ValueId parameter(std::string name, TensorType type);
  ValueId constant(Tensor tensor);
  // An i64 tensor of expressions: rank 0 or rank 1.
  ValueId syms(std::vector<Sym> values, bool scalar);
  // Errors name the primitive, the operand types, the attribute and what was expected.
  Result<ValueId> op(Prim prim, std::vector<ValueId> operands, Attributes attributes = {});

  const TensorType& type(ValueId value) const { return module_.function.values[value].type; }
  const Contents* contents(ValueId value) const;
  // The tensor, if the value is a constant of the module; else NULL. Valid until the next constant is added.
  const Tensor* constant_tensor(ValueId value) const;

  // The module as far as it is written.
  const Module& module() const { return module_; }
  // Contents that were asked for and not known, noted by the parameters that they depend on: the values that whoever
  // compiles would have to give.
  void want_contents(ValueId value);
  const std::set<std::string>& wanted() const { return wanted_; }

  // Says that the extent of an axis depends on data. Such a value may become a result of the module or go through
  // element-by-element ops of one operand; any other use is an error.
  void set_bound(ValueId value, Bound bound) { bounds_[value].push_back(bound); }
  const std::vector<Bound>* bounds(ValueId value) const;

  // Written into each following op.
  void set_label(std::string label) { label_ = std::move(label); }
  SymRanges& ranges() { return module_.ranges; }

  // Ends the function. `results` may repeat values and name parameters.
  Result<Module> finish(std::vector<ValueId> results, std::vector<std::string> names);

 private:
  Module module_;
  std::map<ValueId, Contents> contents_;
  std::set<std::string> wanted_;
  std::map<ValueId, std::vector<Bound>> bounds_;
  std::string label_;
};

// The result type of one op, or an error that names primitive, operands and attribute. The verifier's and builder's
// core. Extents that must be equal, and that nothing proves to be equal or to differ, are an error; with `assumptions`
// they are assumed equal there instead.
Result<TensorType> infer_type(Prim prim, const std::vector<TensorType>& operands, const Attributes& attributes,
                              const std::vector<Tensor>& constants, const SymRanges& ranges,
                              SymRanges* assumptions = nullptr);

// Checks a whole module: ids, order, types, constants, symbols. Runs between all passes.
Result<void> verify(const Module& module);

// The text form, for people. Constants of up to 64 bytes are shown by value.
std::string print(const Module& module);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_PORTABLE_HPP_
