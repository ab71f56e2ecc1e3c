/* SPDX-License-Identifier: Apache-2.0
 * The library that missing_dependency.c needs. */
int zoo_gone(void);
int zoo_gone(void) { return 1; }
