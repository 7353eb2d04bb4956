/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the bits of a structure lie: {@link io.sluice.filter.memory.Words}, on the heap or off it.
 * Layout (which bits mean what) is each structure's own affair.
 */
package io.sluice.filter.memory;
