// SPDX-License-Identifier: Apache-2.0
#include "memory_check.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace hal::loader {
namespace {

// The kernel copies a byte from there to here, or says that it cannot.
bool is_byte_readable(uintptr_t at) {
  char byte = 0;
  const iovec here = {&byte, 1};
  const iovec there = {reinterpret_cast<void*>(at), 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

}  // namespace

bool is_readable(const void* begin, uint64_t size) {
  if (size == 0) return true;
  const auto first = reinterpret_cast<uintptr_t>(begin);
  if (size - 1 > UINTPTR_MAX - first) return false;
  const uintptr_t last = first + (size - 1);
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (uintptr_t at = first; at < last; at = std::max(at, at / page * page + page)) {
    if (!is_byte_readable(at)) return false;
    if (at / page == last / page) break;
  }
  return is_byte_readable(last);
}

}  // namespace hal::loader
