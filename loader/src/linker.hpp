// SPDX-License-Identifier: Apache-2.0
//
// The dynamic linker, which does one thing at a time: opening and closing libraries under one lock of ours. It is held
// as the linker's own is, so that a fork in between leaves neither locked in the child; and whoever waits for a library
// that hangs in its constructor can give up, which the linker's own lock does not allow.
#ifndef LOADER_LINKER_HPP_
#define LOADER_LINKER_HPP_

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::loader {

class Linker {
 public:
  // Opens with RTLD_NOW | RTLD_LOCAL. Errors: UNAVAILABLE in the linker's own words; TIMEOUT after `patience` while
  // another library is stuck in its constructor.
  static Result<void> load(boost::dll::shared_library& library, const std::string& path,
                           std::chrono::nanoseconds patience);

  // The address of an exported symbol, or NULL. The linker's own lock is held for it.
  static void* find(boost::dll::shared_library& library, const char* symbol);

  // Closes; while another library is stuck, leaves it mapped for good instead.
  static void unload(boost::dll::shared_library& library);

  // Leaves it mapped for good.
  static void keep(boost::dll::shared_library& library);

  // The path of the library that is being opened now, or "".
  static std::string now_opening();

  // Around fork.
  static void before_fork();
  static void after_fork(bool is_child);
};

}  // namespace hal::loader

#endif  // LOADER_LINKER_HPP_
