// SPDX-License-Identifier: Apache-2.0
//
// Fork: in the child old objects answer FORKED at once and never hang; a new instance works.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "harness.hpp"

namespace hal::test {
namespace {

// Runs `body` in a child; its exit code is the number of the check that failed, 0 for none.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

int check_old_objects(const Session& session, const Queue& queue, const Semaphore& semaphore, const Buffer& buffer) {
  const auto forked = [](hal_status_t* status) { return take(status).code == HAL_STATUS_FORKED; };
  const auto work = fill(range(buffer), 1);
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  hal_buffer_t* other = nullptr;
  uint64_t value = 0;
  void* address = nullptr;
  if (!forked(hal_semaphore_query(semaphore.get(), &value))) return 1;
  if (!forked(hal_semaphore_signal(semaphore.get(), 1))) return 2;
  if (!forked(session.wait(semaphore, 1))) return 3;
  if (!forked(Submit{{}, {&work.header}, {}}.to(queue))) return 4;
  if (!forked(hal_buffer_create(session.device(), &desc, &other))) return 5;
  if (!forked(hal_buffer_map(buffer.get(), 0, 1, HAL_MAP_READ, &address))) return 6;
  if (!forked(session.calls().device->shutdown(session.instance()))) return 7;
  hal_buffer_destroy(buffer.get());
  hal_queue_destroy(queue.get());
  hal_semaphore_destroy(semaphore.get());
  session.calls().device->close(session.device());
  return 0;
}

int check_new_instance() {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer buffer = session.buffer(8);
  const auto work = fill(range(buffer), 5);
  if (take(Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)).code != HAL_STATUS_OK) return 11;
  if (take(session.wait(done, 1)).code != HAL_STATUS_OK) return 12;
  return session.read(buffer, 0, 8) == std::vector<uint8_t>(8, 5) ? 0 : 13;
}

TEST(Fork, TheChildGetsForkedAndMayStartAgain) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not follow a fork of a process with threads";
#endif
  const Session session;
  const Queue queue = session.queue();
  const Semaphore semaphore = session.semaphore();
  const Buffer buffer = session.buffer(1 << 20);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      const auto work = fill(range(buffer), 1);
      const Semaphore done = session.semaphore();
      HAL_EXPECT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
      HAL_EXPECT_OK(session.wait(done, 1));
    }
  });
  for (int round = 0; round < 10; round++) {
    EXPECT_EQ(in_child([&] { return check_old_objects(session, queue, semaphore, buffer); }), 0);
  }
  stop = true;
  busy.join();
  EXPECT_EQ(in_child([&] {
              const int old = check_old_objects(session, queue, semaphore, buffer);
              return old != 0 ? old : check_new_instance();
            }),
            0);
  uint64_t value = 1;
  HAL_EXPECT_OK(hal_semaphore_query(semaphore.get(), &value));
  EXPECT_EQ(value, 0u);
}

TEST(Fork, AnUnloadedPluginIsNotCalledAtAFork) {
  { const Session session; }
  EXPECT_EQ(in_child([] { return 0; }), 0);
}

}  // namespace
}  // namespace hal::test
