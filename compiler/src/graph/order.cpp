// SPDX-License-Identifier: Apache-2.0
//
// Which nodes are needed, and in which order: producers, reachability from the outputs, and a stable topological sort.
#include <algorithm>
#include <functional>
#include <queue>
#include <set>

#include "hal/compiler/graph.hpp"
#include "lang/source.hpp"

namespace hal::compiler::graph {
namespace {

std::vector<std::string> uses(const Node& node) {
  std::vector<std::string> out = node.inputs;
  out.insert(out.end(), node.captures.begin(), node.captures.end());
  return out;
}

constexpr size_t kNobody = static_cast<size_t>(-1);  // an input or a constant

class Orderer {
 public:
  explicit Orderer(Graph& graph) : graph_(graph), needed_(graph.nodes.size()), waits_for_(graph.nodes.size()) {}

  Result<void> run() {
    HAL_TRY(find_producers());
    HAL_TRY(find_needed());
    return sort();
  }

 private:
  Result<void> find_producers() {
    for (const auto& [name, tensor] : graph_.constants) producers_[name] = kNobody;
    for (const Input& input : graph_.inputs) {
      if (producers_.emplace(input.name, kNobody).second) continue;
      return data_corrupt(graph_.file + ": the name " + quoted(input.name) + " is given to two inputs");
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& output : graph_.nodes[i].outputs) {
        if (output.empty() || producers_.emplace(output, i).second) continue;
        return data_corrupt(place(graph_, graph_.nodes[i]) + ": its output " + quoted(output) + " is already made by " +
                            maker(output) + "; expected each value to be made once");
      }
    }
    return {};
  }

  std::string maker(const std::string& value) const {
    size_t producer = producers_.at(value);
    return producer == kNobody ? "a graph input or initializer" : place(graph_, graph_.nodes[producer]);
  }

  Error missing(const std::string& who, const std::string& value) const {
    std::vector<std::string> names;
    for (const auto& [name, producer] : producers_) names.push_back(name);
    return data_corrupt(who + " " + quoted(value) + " is made by no node, initializer or graph input" +
                        lang::suggestion(value, names));
  }

  Result<void> find_needed() {
    std::vector<size_t> work;
    auto need = [&](size_t producer) {
      if (producer == kNobody || needed_[producer]) return;
      needed_[producer] = true;
      work.push_back(producer);
    };
    for (const Output& output : graph_.outputs) {
      auto found = producers_.find(output.name);
      if (found == producers_.end()) return missing(graph_.file + ": the graph output", output.name);
      need(found->second);
    }
    while (!work.empty()) {
      const Node& node = graph_.nodes[work.back()];
      work.pop_back();
      for (const std::string& input : uses(node)) {
        if (input.empty()) continue;
        auto found = producers_.find(input);
        if (found == producers_.end()) return missing(place(graph_, node) + ": input", input);
        need(found->second);
      }
    }
    return {};
  }

  std::set<size_t> producers_of(const Node& node) const {
    std::set<size_t> out;
    for (const std::string& input : uses(node)) {
      if (!input.empty() && producers_.at(input) != kNobody) out.insert(producers_.at(input));
    }
    return out;
  }

  Result<void> sort() {
    std::vector<std::vector<size_t>> users(graph_.nodes.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;  // the file's order where there is a choice
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!needed_[i]) continue;
      for (size_t producer : producers_of(graph_.nodes[i])) {
        users[producer].push_back(i);
        ++waits_for_[i];
      }
      if (waits_for_[i] == 0) ready.push(i);
    }
    std::vector<Node> sorted;
    while (!ready.empty()) {
      size_t node = ready.top();
      ready.pop();
      needed_[node] = false;
      for (size_t user : users[node]) {
        if (--waits_for_[user] == 0) ready.push(user);
      }
      sorted.push_back(graph_.nodes[node]);
    }
    auto stuck = std::find(needed_.begin(), needed_.end(), true);
    if (stuck != needed_.end()) return cycle(static_cast<size_t>(stuck - needed_.begin()));
    graph_.nodes = std::move(sorted);
    return {};
  }

  // Every stuck node waits for a stuck node, so walking upwards meets one twice.
  Error cycle(size_t node) const {
    std::vector<size_t> path;
    while (std::find(path.begin(), path.end(), node) == path.end()) {
      path.push_back(node);
      for (size_t producer : producers_of(graph_.nodes[node])) {
        if (needed_[producer]) node = producer;
      }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), node));
    std::string names;
    for (size_t i = 0; i < path.size() && i < 8; ++i) names += quoted(graph_.nodes[path[i]].name) + " uses ";
    if (path.size() > 8) names += "... uses ";
    return data_corrupt(graph_.file + ": the graph has a cycle: node " + names + quoted(graph_.nodes[path[0]].name));
  }

  Graph& graph_;
  std::map<std::string, size_t> producers_;
  std::vector<bool> needed_;
  std::vector<size_t> waits_for_;
};

}  // namespace

Result<void> order(Graph& graph) { return Orderer(graph).run(); }

}  // namespace hal::compiler::graph
