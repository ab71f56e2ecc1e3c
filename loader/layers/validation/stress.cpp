// SPDX-License-Identifier: Apache-2.0
//
// Random legal and illegal calls from several threads over one device, under the layer "validation": nothing crashes,
// legal calls do what they say, and every illegal one is answered with its code.
//   layer_stress --plugin CPU.json --layer VALIDATION.json [--sequences N] [--threads N] [--seed N]
#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <functional>
#include <iostream>
#include <random>
#include <thread>

#include "hal/loader.hpp"

namespace hal {
namespace {

constexpr uint64_t kMinute = 60'000'000'000;
constexpr size_t kMaxBuffers = 8;

struct Totals {
  std::atomic<uint64_t> sequences{0}, legal{0}, illegal{0}, wrong{0};
};

// One buffer of the model, with the byte that fills it.
struct Thing {
  Buffer buffer;
  uint64_t size = 0;
  uint8_t content = 0;
};

// One thread's objects and calls.
class Player {
 public:
  Player(hal_device_t* device, uint64_t seed, Totals& totals)
      : device_(device),
        random_(seed),
        totals_(totals),
        queue_(made(create_queue(device))),
        done_(made(create_semaphore(device))) {
    add_thing();
  }

  void play() {
    static constexpr void (Player::*kMoves[])() = {
        &Player::add_thing,      &Player::drop_thing,     &Player::fill,          &Player::copy,
        &Player::update,         &Player::map_and_look,   &Player::host_signal,   &Player::poll,
        &Player::failure,        &Player::stale_buffer,   &Player::stale_queue,   &Player::stale_semaphore,
        &Player::stale_in_work,  &Player::wrong_range,    &Player::wrong_pattern, &Player::wrong_desc,
        &Player::wrong_map,      &Player::wrong_unmap,    &Player::wrong_value,   &Player::wrong_wait,
        &Player::wrong_kind,     &Player::null_arguments, &Player::endless_chain, &Player::overlapping_copy,
        &Player::wrong_dispatch, &Player::unsorted_signal};
    for (uint64_t length = 1 + below(6); length != 0; --length) (this->*kMoves[below(std::size(kMoves))])();
    ++totals_.sequences;
  }

 private:
  template <typename T>
  static T made(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }
  uint64_t below(uint64_t limit) { return random_() % limit; }
  Thing& any() { return things_[below(things_.size())]; }

  void check(bool is_legal, const char* what, hal_status_code_t expected, const Result<void>& result) {
    ++(is_legal ? totals_.legal : totals_.illegal);
    const hal_status_code_t code = result ? HAL_STATUS_OK : result.error().code;
    if (code == expected) return;
    ++totals_.wrong;
    std::cerr << what << ": expected " << hal_status_code_name(expected) << ", got " << hal_status_code_name(code)
              << (result ? "" : ": " + result.error().message) << '\n';
  }
  void legal(const char* what, const Result<void>& result) { check(true, what, HAL_STATUS_OK, result); }
  void legal(const char* what, hal_status_t* status) { legal(what, take_status(status)); }
  void illegal(const char* what, hal_status_code_t code, hal_status_t* status) {
    check(false, what, code, take_status(status));
  }
  void illegal(const char* what, hal_status_code_t code, const Result<void>& result) {
    check(false, what, code, result);
  }

  // Submits work that signals, and waits for it.
  void run(const char* what, Submission& work) {
    legal(what, work.signal(done_, ++value_).submit(queue_));
    legal("wait", wait(device_, done_, value_, hal_time_now() + kMinute));
  }

  // ---- legal ----

  void add_thing() {
    if (things_.size() == kMaxBuffers) return drop_thing();
    Thing thing;
    thing.size = 8 * (1 + below(32));
    thing.buffer = made(create_buffer(device_, thing.size, HAL_BUFFER_ZEROED));
    things_.push_back(std::move(thing));
  }
  void drop_thing() {
    if (things_.size() < 2) return;
    std::swap(any(), things_.back());
    things_.pop_back();
  }
  void fill() {
    Thing& thing = any();
    thing.content = static_cast<uint8_t>(below(256));
    Submission work;
    run("fill", work.fill(range(thing.buffer), thing.content * UINT64_C(0x0101010101010101), 8));
  }
  void copy() {
    Thing &from = any(), &to = any();
    if (&from == &to || from.size < to.size) return;
    to.content = from.content;
    Submission work;
    run("copy", work.copy(range(from.buffer, 0, to.size), range(to.buffer)));
  }
  void update() {
    Thing& thing = any();
    thing.content = static_cast<uint8_t>(below(256));
    const std::vector<uint8_t> bytes(thing.size, thing.content);
    Submission work;
    run("update", work.update(range(thing.buffer), bytes.data()));
  }
  void map_and_look() {
    Thing& thing = any();
    std::vector<std::byte> bytes(thing.size);
    legal("map", read_buffer(thing.buffer.get(), 0, bytes));
    for (const std::byte byte : bytes) {
      if (std::to_integer<uint8_t>(byte) == thing.content) continue;
      ++totals_.wrong;
      std::cerr << "a buffer holds " << std::to_integer<int>(byte) << ", expected " << int{thing.content} << '\n';
      return;
    }
  }
  void host_signal() {
    legal("signal", hal_semaphore_signal(done_.get(), ++value_));
    uint64_t value = 0;
    legal("query", hal_semaphore_query(done_.get(), &value));
  }
  void poll() {
    check(true, "poll", HAL_STATUS_TIMEOUT, wait(device_, done_, value_ + 1, HAL_TIME_POLL));
    legal("empty wait", hal_semaphore_wait(device_, HAL_WAIT_ALL, 0, nullptr, HAL_TIME_POLL, nullptr));
  }
  void failure() {
    const Semaphore first = made(create_semaphore(device_)), second = made(create_semaphore(device_));
    Submission work;
    legal("submit", work.wait(first, 1).signal(second, 1).submit(queue_));
    hal_status_t reason{};
    reason.struct_size = sizeof reason;
    reason.code = HAL_STATUS_CANCELLED;
    reason.release = [](hal_status_t*) {};
    legal("fail", hal_semaphore_fail(first.get(), &reason));
    check(true, "a failed wait", HAL_STATUS_ABORTED, wait(device_, second, 1, hal_time_now() + kMinute));
  }

  // ---- illegal ----

  void stale_buffer() {
    hal_buffer_t* const gone = made(create_buffer(device_, 64)).release();
    hal_buffer_destroy(gone);
    hal_buffer_info_t info{};
    info.struct_size = sizeof info;
    void* address = nullptr;
    illegal("stale info", HAL_STATUS_INVALID_ARGUMENT, hal_buffer_info(gone, &info));
    illegal("stale map", HAL_STATUS_INVALID_ARGUMENT, hal_buffer_map(gone, 0, 1, HAL_MAP_READ, &address));
    hal_buffer_destroy(gone);
  }
  void stale_queue() {
    // Seldom: a device has few queues, and destroyed ones keep their place until room is needed, which would take it
    // from other stale handles too.
    if (below(64) != 0) return;
    hal_queue_t* const gone = made(create_queue(device_)).release();
    hal_queue_destroy(gone);
    illegal("stale queue", HAL_STATUS_INVALID_ARGUMENT, Submission().submit(gone));
  }
  void stale_semaphore() {
    hal_semaphore_t* const gone = made(create_semaphore(device_)).release();
    hal_semaphore_destroy(gone);
    uint64_t value = 0;
    illegal("stale query", HAL_STATUS_INVALID_ARGUMENT, hal_semaphore_query(gone, &value));
    const hal_semaphore_value_t awaited = {gone, 1};
    illegal("stale wait", HAL_STATUS_INVALID_ARGUMENT,
            hal_semaphore_wait(device_, HAL_WAIT_ANY, 1, &awaited, HAL_TIME_POLL, nullptr));
  }
  void stale_in_work() {
    hal_buffer_t* const gone = made(create_buffer(device_, 64)).release();
    hal_buffer_destroy(gone);
    Submission work;
    work.copy(range(any().buffer, 0, 8), {gone, 0, 8, 0, 0});
    illegal("stale in work", HAL_STATUS_INVALID_ARGUMENT, work.submit(queue_));
  }
  void wrong_range() {
    Thing& thing = any();
    Submission work;
    work.fill(range(thing.buffer, below(thing.size + 1), thing.size + 1 + below(99)), 0, 1);
    illegal("range", HAL_STATUS_OUT_OF_RANGE, work.submit(queue_));
  }
  void wrong_pattern() {
    Submission work;
    work.fill(range(any().buffer), 0, below(2) == 0 ? 3 : 0);
    illegal("pattern", HAL_STATUS_INVALID_ARGUMENT, work.submit(queue_));
  }
  void wrong_desc() {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = 64;
    hal_status_code_t code = HAL_STATUS_INVALID_ARGUMENT;
    switch (below(4)) {
      case 0:
        desc.alignment = 3;
        break;
      case 1:
        desc.struct_size = static_cast<uint32_t>(below(8));
        break;
      case 2:
        desc.heap = 1000 + static_cast<uint32_t>(below(9));
        code = HAL_STATUS_OUT_OF_RANGE;
        break;
      default:
        desc.flags = UINT64_C(1) << (32 + below(30));
        code = HAL_STATUS_UNSUPPORTED;
    }
    hal_buffer_t* none = nullptr;
    illegal("descriptor", code, hal_calls_of(device_)->memory->buffer_create(device_, &desc, &none));
  }
  void wrong_map() {
    Thing& thing = any();
    void* address = nullptr;
    illegal("map range", HAL_STATUS_OUT_OF_RANGE,
            hal_buffer_map(thing.buffer.get(), thing.size, 1 + below(UINT64_MAX - 1), HAL_MAP_READ, &address));
  }
  void wrong_unmap() { illegal("unmap", HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(any().buffer.get())); }
  void wrong_value() {
    illegal("value", HAL_STATUS_OUT_OF_RANGE,
            hal_semaphore_signal(done_.get(), (UINT64_C(1) << 63) + below(UINT64_C(1) << 62)));
    if (value_ != 0) {
      illegal("old value", HAL_STATUS_INVALID_ARGUMENT, hal_semaphore_signal(done_.get(), below(value_ + 1)));
    }
  }
  void wrong_wait() {
    illegal("mode", HAL_STATUS_INVALID_ARGUMENT,
            hal_semaphore_wait(device_, 2 + static_cast<uint32_t>(below(99)), 0, nullptr, 0, nullptr));
    illegal("NULL list", HAL_STATUS_INVALID_ARGUMENT,
            hal_semaphore_wait(device_, HAL_WAIT_ALL, 1 + static_cast<uint32_t>(below(9)), nullptr, 0, nullptr));
  }
  void wrong_kind() {
    Submission work;
    work.fill({reinterpret_cast<hal_buffer_t*>(done_.get()), 0, 8, 0, 0}, 0, 1);
    illegal("kind", HAL_STATUS_INVALID_ARGUMENT, work.submit(queue_));
    alignas(16) std::array<unsigned char, 64> memory{};
    Submission foreign;
    foreign.fill({reinterpret_cast<hal_buffer_t*>(memory.data()), 0, 8, 0, 0}, 0, 1);
    illegal("foreign", HAL_STATUS_INVALID_ARGUMENT, foreign.submit(queue_));
  }
  void null_arguments() {
    illegal("NULL submission", HAL_STATUS_INVALID_ARGUMENT, hal_queue_submit(queue_.get(), nullptr));
    illegal("NULL out", HAL_STATUS_INVALID_ARGUMENT, hal_semaphore_query(done_.get(), nullptr));
    Submission work;
    work.update(range(any().buffer), nullptr);
    illegal("NULL data", HAL_STATUS_INVALID_ARGUMENT, work.submit(queue_));
  }
  void endless_chain() {
    hal_chain_t loop = {sizeof loop, 77, 0, nullptr};
    loop.next = &loop;
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    submission.next = &loop;
    illegal("chain", HAL_STATUS_INVALID_ARGUMENT, hal_queue_submit(queue_.get(), &submission));
  }
  void overlapping_copy() {
    const Thing& thing = any();
    Submission work;
    work.copy(range(thing.buffer, 0, 8), range(thing.buffer, below(8) * (thing.size > 15 ? 1 : 0), 8));
    illegal("overlap", HAL_STATUS_INVALID_ARGUMENT, work.submit(queue_));
  }
  void wrong_dispatch() {
    hal_work_dispatch_t dispatch = HAL_WORK_DISPATCH_INIT;
    dispatch.executable = below(2) == 0 ? nullptr : reinterpret_cast<hal_executable_t*>(queue_.get());
    illegal("dispatch", HAL_STATUS_INVALID_ARGUMENT, Submission().dispatch(dispatch).submit(queue_));
  }
  void unsorted_signal() {
    if (value_ == 0) return;
    Submission work;
    illegal("old signal", HAL_STATUS_INVALID_ARGUMENT, work.signal(done_, below(value_) + 1).submit(queue_));
  }

  hal_device_t* const device_;
  std::mt19937_64 random_;
  Totals& totals_;
  Queue queue_;
  Semaphore done_;
  uint64_t value_ = 0;
  std::vector<Thing> things_;
};

struct Request {
  std::string plugin, layer;
  uint64_t sequences = 20'000, threads = 4, seed = 1;
};

Result<void> run(const Request& request, Totals& totals) {
  LoaderOptions options;
  options.plugin_paths = {request.plugin};
  options.layers = {request.layer};
  // A stale handle is used at once; other threads must not push it out meanwhile.
  options.layer_config = {{"validation.quarantine", "100000"}};
  options.explicit_only = true;
  HAL_TRY_ASSIGN(const Loader loader, Loader::create(options));
  HAL_TRY_ASSIGN(const auto layers, loader.layers());
  if (layers.empty() || layers[0].verdict != HAL_LOADER_TAKEN) {
    return invalid_argument("the layer is not on: " + std::string(layers.empty() ? "" : view(layers[0].reason)));
  }
  HAL_TRY_ASSIGN(const auto devices, loader.devices());
  if (devices.empty()) return not_found("the plugin has no device");
  HAL_TRY_ASSIGN(const Device device, loader.open(view(devices[0].name)));
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < request.threads; ++i) {
    threads.emplace_back([&, i] {
      Player player(device.get(), request.seed * 1000 + i, totals);
      for (uint64_t n = request.sequences / request.threads; n != 0; --n) player.play();
    });
  }
  for (std::thread& thread : threads) thread.join();
  HAL_TRY_ASSIGN(const hal_heap_statistics_t left, heap_statistics(device.get(), 0));
  if (left.live_buffers == 0) return {};
  return internal_error(std::to_string(left.live_buffers) + " buffers are left");
}

}  // namespace
}  // namespace hal

int main(int argc, char** argv) {
  hal::Request request;
  CLI::App app("Random legal and illegal calls under the layer validation");
  app.add_option("--plugin", request.plugin, "Library or manifest of the plugin")->required();
  app.add_option("--layer", request.layer, "Library or manifest of the layer")->required();
  app.add_option("--sequences", request.sequences, "How many, over all threads");
  app.add_option("--threads", request.threads, "How many threads")->check(CLI::Range(1, 256));
  app.add_option("--seed", request.seed, "Of the random numbers");
  CLI11_PARSE(app, argc, argv);
  hal::Totals totals;
  const hal::Result<void> done = hal::run(request, totals);
  if (!done) std::cerr << done.error().message << '\n';
  std::cout << totals.sequences << " sequences, " << totals.legal << " legal calls, " << totals.illegal
            << " illegal calls, " << totals.wrong << " wrong answers\n";
  return done && totals.wrong == 0 && totals.illegal > totals.sequences / 2 ? 0 : 1;
}
