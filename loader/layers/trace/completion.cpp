// SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

namespace hal::layers::trace {
namespace {

// A thread that takes none of the application's signals.
std::thread quiet_thread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), "mortise-trace");
  return thread;
}

}  // namespace

std::unique_ptr<Completion> Completion::start(hal_device_t* device, const hal_calls_t* next) {
  std::unique_ptr<Completion> completion(new Completion(device, next));
  completion->wake_ = completion->make_semaphore();
  if (completion->wake_ == nullptr) return nullptr;
  completion->thread_ = quiet_thread([self = completion.get()] { self->run(); });
  return completion;
}

Completion::~Completion() {
  if (thread_.joinable()) {
    uint64_t value = 0;
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      value = ++wake_value_;
    }
    wake(value);
    thread_.join();
  }
  drop(wake_);
}

hal_semaphore_t* Completion::make_semaphore() {
  hal_semaphore_t* semaphore = nullptr;
  hal_status_t* const status = next_->queue->semaphore_create(device_, 0, &semaphore);
  hal_status_release(status);
  if (status != nullptr) return nullptr;
  (void)hal_adopt(hal_calls_of(device_), nullptr, semaphore);
  return semaphore;
}

void Completion::drop(hal_semaphore_t* semaphore) {
  if (semaphore != nullptr) next_->queue->semaphore_destroy(semaphore);
}

// Threads may signal in another order than they counted: the higher value has woken the thread then.
void Completion::wake(uint64_t value) { hal_status_release(next_->queue->semaphore_signal(wake_, value)); }

void Completion::watch(hal_semaphore_t* semaphore, Done done) {
  uint64_t value = 0;
  {
    const std::lock_guard lock(mutex_);
    added_.push_back({semaphore, std::move(done)});
    value = ++wake_value_;
  }
  wake(value);
}

bool Completion::is_over(const Item& item) {
  uint64_t value = 0;
  hal_status_t* const failure = next_->queue->semaphore_query(item.semaphore, &value);
  if (failure == nullptr && value == 0) return false;
  item.done(failure);
  hal_status_release(failure);
  drop(item.semaphore);
  return true;
}

void Completion::run() {
  std::vector<Item> items;
  for (;;) {
    std::vector<hal_semaphore_value_t> awaited;
    bool is_stopping = false;
    {
      const std::lock_guard lock(mutex_);
      std::move(added_.begin(), added_.end(), std::back_inserter(items));
      added_.clear();
      is_stopping = is_stopping_;
      awaited.push_back({wake_, wake_value_ + 1});
    }
    items.erase(std::remove_if(items.begin(), items.end(), [this](const Item& item) { return is_over(item); }),
                items.end());
    if (is_stopping) break;
    for (const Item& item : items) awaited.push_back({item.semaphore, 1});
    uint32_t ignored = 0;
    hal_status_t* const status = next_->queue->semaphore_wait(
        device_, HAL_WAIT_ANY, static_cast<uint32_t>(awaited.size()), awaited.data(), HAL_TIME_FOREVER, &ignored);
    // A failed semaphore is seen above. A device that cannot wait is asked now and then.
    if (status != nullptr && status->code != HAL_STATUS_ABORTED) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    hal_status_release(status);
  }
  for (const Item& item : items) drop(item.semaphore);
}

}  // namespace hal::layers::trace
