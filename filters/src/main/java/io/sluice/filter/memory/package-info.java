/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Allocates the memory of filters: {@link io.sluice.filter.memory.Words} on the heap or off it, as
 * {@link io.sluice.filter.memory.Storage} says. Each filter defines what the bits mean.
 */
package io.sluice.filter.memory;
