/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Where counters are read from. */
public interface CounterReading {

    /**
     * Returns the last values of some counters, without those that are not there.
     *
     * @param keys as {@link StoredCounter#keyOf} makes them
     * @throws IOException if it cannot be read, or has something else
     */
    Map<String, StoredCounter> get(Set<String> keys) throws IOException;

    /**
     * Returns the counters with the largest values, the largest first, and equal ones in the order
     * of their keys.
     *
     * @param most at least 1
     * @param reread is told if all is read twice
     * @throws IOException if it cannot be read, or has something else
     */
    List<StoredCounter> top(int most, Consumer<String> reread) throws IOException;
}
