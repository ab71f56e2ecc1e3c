/* SPDX-License-Identifier: Apache-2.0
 * A library that is not a layer: it lacks hal_layer_query. */
int mortise_no_symbol(void);
int mortise_no_symbol(void) { return 0; }
