// SPDX-License-Identifier: Apache-2.0
//
// Links its own LLVM, whose options are global: a second registration of one name in one process is LLVM's abort.
#include <llvm/Support/CommandLine.h>

#define ZOO_NAME_STRING_(value) #value
#define ZOO_NAME_STRING(value) ZOO_NAME_STRING_(value)
#define ZOO_NAME "zoo-own-llvm-" ZOO_NAME_STRING(CLASH_VALUE)
#include "zoo.h"

namespace {

llvm::cl::opt<uint32_t> cores("zoo-cores", llvm::cl::desc("what the device says"), llvm::cl::init(0));

hal_status_t* capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  hal_status_t* const status = zoo_capabilities(device, out_caps);
  const char* const arguments[] = {"zoo", "-zoo-cores=" ZOO_NAME_STRING(CLASH_VALUE)};
  llvm::cl::ResetAllOptionOccurrences();
  if (llvm::cl::ParseCommandLineOptions(2, arguments)) out_caps->core_count = cores;
  return status;
}

}  // namespace

extern "C" {
ZOO_QUERY_SPOILT(zoo_device.capabilities = capabilities)
}
