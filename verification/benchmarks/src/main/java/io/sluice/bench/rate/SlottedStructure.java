/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A structure with a fixed number of slots, one for each key: its speed depends on its load. */
public interface SlottedStructure extends RatedStructure {

    /** Keys that it holds if no slot is empty. */
    long slots();

    /** The load at which it counts as full: {@link #capacity} divided by {@link #slots}. */
    default double load() {
        return (double) capacity() / slots();
    }
}
