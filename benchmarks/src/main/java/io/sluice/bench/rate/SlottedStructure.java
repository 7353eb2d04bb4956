/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A structure of a fixed number of slots, one for each key: its speed depends on its load. */
public interface SlottedStructure extends Structure {

    /** Keys that it would hold if no slot were empty. */
    long slots();

    /** The load at which it is full for our purposes: {@link #capacity} over {@link #slots}. */
    default double load() {
        return (double) capacity() / slots();
    }
}
