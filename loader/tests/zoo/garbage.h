/* SPDX-License-Identifier: Apache-2.0
 *
 * One wrong value in one field: the variable ZOO_GARBAGE says which, as "hal_plugin.name=long". The kinds of wrong:
 *   a number    zero, max, one, three, nan, negative
 *   a pointer   null, odd (not aligned), wild (leads nowhere)
 *   a text      null, long, wild, endless (runs off its page), and bytes that are not UTF-8
 */
#ifndef LOADER_TESTS_GARBAGE_H_
#define LOADER_TESTS_GARBAGE_H_

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hal/base.h"

/* The kind of wrong that is asked of `field`, or NULL. */
static const char* garbage_kind(const char* field) {
  const char* chosen = getenv("ZOO_GARBAGE");
  const size_t length = strlen(field);
  if (chosen == NULL || strncmp(chosen, field, length) != 0 || chosen[length] != '=') return NULL;
  return chosen + length + 1;
}

static int garbage_is(const char* field, const char* kind) {
  const char* chosen = garbage_kind(field);
  return chosen != NULL && strcmp(chosen, kind) == 0;
}

static void* garbage_wild(void) { return (void*)(uintptr_t)0x10; }

/* 16 bytes before a page that nobody may read. */
static const char* garbage_edge(void) {
  char* pages = (char*)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE) != 0) abort();
  memset(pages, 'x', 4096);
  return pages + 4096 - 16;
}

static void garbage_number(const char* field, void* at, size_t size) {
  const char* kind = garbage_kind(field);
  const uint64_t small = kind != NULL && strcmp(kind, "three") == 0 ? 3 : 1;
  const double real = kind != NULL && strcmp(kind, "nan") == 0 ? strtod("nan", NULL) : -1.0;
  if (kind == NULL) return;
  if (strcmp(kind, "zero") == 0) memset(at, 0, size);
  if (strcmp(kind, "max") == 0) memset(at, 0xFF, size);
  if (strcmp(kind, "one") == 0 || strcmp(kind, "three") == 0) memcpy(at, &small, size);
  if (strcmp(kind, "nan") == 0 || strcmp(kind, "negative") == 0) memcpy(at, &real, size);
}

static void garbage_pointer(const char* field, void* at) {
  char* pointer;
  memcpy(&pointer, at, sizeof pointer);
  if (garbage_is(field, "null")) pointer = NULL;
  if (garbage_is(field, "odd")) pointer += 1;
  if (garbage_is(field, "wild")) pointer = (char*)garbage_wild();
  memcpy(at, &pointer, sizeof pointer);
}

static void garbage_text(const char* field, hal_string_t* text) {
  static const char* const kBytes[][2] = {{"control", "a\x01"},           {"stray", "a\x80"},
                                          {"cut", "a\xE2\x82"},           {"overlong", "\xE0\x80\x80"},
                                          {"surrogate", "\xED\xA0\x80"}, {"beyond", "\xF4\x90\x80\x80"},
                                          {"latin1", "caf\xE9"}};
  size_t i;
  for (i = 0; i < sizeof kBytes / sizeof kBytes[0]; ++i) {
    if (!garbage_is(field, kBytes[i][0])) continue;
    text->data = kBytes[i][1];
    text->length = strlen(kBytes[i][1]);
  }
  if (garbage_is(field, "null")) {
    text->data = NULL;
    text->length = 9;
  }
  if (garbage_is(field, "long")) text->length = UINT64_MAX;
  if (garbage_is(field, "wild")) {
    text->data = (const char*)garbage_wild();
    text->length = 9;
  }
  if (garbage_is(field, "endless")) {
    text->data = garbage_edge();
    text->length = 100;
  }
}

#define GARBAGE_NUMBER(type, object, field) garbage_number(#type "." #field, &(object)->field, sizeof((object)->field))
#define GARBAGE_POINTER(type, object, field) garbage_pointer(#type "." #field, &(object)->field)
#define GARBAGE_TEXT(type, object, field) garbage_text(#type "." #field, &(object)->field)

#endif /* LOADER_TESTS_GARBAGE_H_ */
