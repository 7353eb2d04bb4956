/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.functions.Function;

/**
 * What an operation adds to its counter.
 *
 * @param <T> type of the operations
 */
@PublicEvolving
@FunctionalInterface
public interface Delta<T> extends Function {

    /** Returns the amount to add; may be negative. Sums wrap like {@code long} additions. */
    long of(T operation) throws Exception;
}
