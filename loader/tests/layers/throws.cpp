// SPDX-License-Identifier: Apache-2.0
//
// A layer whose attach throws, which no layer may.
#include <stdexcept>

#include "hal/layer.h"

namespace {

hal_status_t* attach(const hal_layer_desc_t*, hal_layer_tables_t*, void**) { throw std::runtime_error("no good"); }
void detach(void*) {}

const hal_layer_t kLayer = {
    sizeof(hal_layer_t), HAL_ABI_VERSION, {"throws", 6}, {"1.0", 3}, HAL_SANITIZER_NONE, 0, attach, detach};

}  // namespace

hal_status_t* hal_layer_query(uint32_t, const hal_layer_t** out_layer) {
  *out_layer = &kLayer;
  return nullptr;
}
