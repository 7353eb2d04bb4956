/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.io.IOException;

/** Takes entries in ascending order, each key at most once. */
public interface EntrySink {

    /** Takes {@code entries[from]} to {@code entries[to - 1]}. */
    void add(long[] entries, int from, int to) throws IOException;
}
