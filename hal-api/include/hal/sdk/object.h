/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects with counted references, and the instance that counts them (HAL-ABI-19). A user's handle is one reference,
 * and so is each submission in flight: that is how "destroy at once after submit" works. A child keeps its parent.
 */
#ifndef HAL_SDK_OBJECT_H_
#define HAL_SDK_OBJECT_H_

#include "hal/sdk/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hal_sdk_runtime;
struct hal_sdk_submission;

/* What an instance begins with: struct hal_instance { hal_sdk_instance_t base; ... }. */
typedef struct hal_sdk_instance {
  hal_object_t header;
  struct hal_sdk_runtime* runtime;
} hal_sdk_instance_t;

/* What every other object begins with. */
typedef struct hal_sdk_object {
  hal_object_t header;
  hal_sdk_instance_t* instance;
  struct hal_sdk_object* parent;                /* one reference; NULL for a device */
  void (*dispose)(struct hal_sdk_object* self); /* at the last reference: frees all, the object's memory too */
  uint32_t references;                          /* atomic */
  uint32_t reserved0;
} hal_sdk_object_t;

/* Runs submissions that are ready, on threads of the plugin's own. */
typedef struct hal_sdk_scheduler {
  void* context;
  /* Takes a ready submission: some thread then calls hal_sdk_submission_run. Called under locks: it only enqueues. */
  void (*push)(void* context, struct hal_sdk_submission* submission);
  /* Ends the threads and joins them; nothing is queued any more. */
  void (*stop)(void* context);
} hal_sdk_scheduler_t;

/* Starts an instance's accounts and, where `scheduler` is NULL, one thread that runs submissions in the order in which
 * they become ready. Errors: OUT_OF_MEMORY, UNAVAILABLE (no thread). */
hal_status_t* hal_sdk_instance_init(hal_sdk_instance_t* instance, const hal_sdk_scheduler_t* scheduler);

/* BUSY, with counts, while handles live; nothing changed then. Else finishes what is queued (work that can never start
 * is cancelled), joins the threads and frees the accounts; the plugin frees the rest. */
hal_status_t* hal_sdk_instance_shutdown(hal_sdk_instance_t* instance);

/* Makes an object live with one reference, the user's handle. */
void hal_sdk_object_init(hal_sdk_object_t* object, hal_object_kind_t kind, hal_sdk_instance_t* instance,
                         hal_sdk_object_t* parent, void (*dispose)(hal_sdk_object_t* self));

void hal_sdk_object_retain(hal_sdk_object_t* object);
void hal_sdk_object_release(hal_sdk_object_t* object);

/* The destroy calls: gives the user's handle back. NULL is allowed; does nothing in a forked child. */
void hal_sdk_object_destroy(void* object);

/* What each call checks first: that `object` is a live object of this kind and not one from before a fork. */
hal_status_t* hal_sdk_check_object(const void* object, hal_object_kind_t kind, const char* call);
hal_status_t* hal_sdk_check_instance(const void* instance, const char* call);

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_OBJECT_H_ */
