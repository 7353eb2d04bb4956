/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the bits of a structure lie: {@link io.sluice.filter.memory.Words}, on the heap or off it.
 * Each structure defines its own layout (which bits mean what).
 */
package io.sluice.filter.memory;
