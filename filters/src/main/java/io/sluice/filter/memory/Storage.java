/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

/** Where the words of a structure are. */
public enum Storage {

    /** In one Java array: fastest, at most 16 GiB, part of the heap that the collector manages. */
    HEAP,

    /** In direct buffers: any size, outside the heap, released when the structure is collected. */
    OFF_HEAP
}
