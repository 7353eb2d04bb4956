/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.functions.Function;

/**
 * How many copies of its id a record stands for.
 *
 * @param <T> type of the records
 */
@Experimental
@FunctionalInterface
public interface Multiplicity<T> extends Function {

    /** Returns the copies, at least 1 to count. */
    long of(T record) throws Exception;
}
