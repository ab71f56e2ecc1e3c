/* SPDX-License-Identifier: Apache-2.0
 * A library that is no plugin. */
int zoo_missing_symbol(void);
int zoo_missing_symbol(void) { return 1; }
