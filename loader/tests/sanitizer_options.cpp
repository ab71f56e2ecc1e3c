// SPDX-License-Identifier: Apache-2.0
//
// Many of these tests run in a fork child, where a loader starts threads of its own. ThreadSanitizer ends such a child
// by default if the parent ever had a thread; what it can check there, it may.
#if defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif
