/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.runtime.IdHasher;
import java.io.Serializable;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * What is read out of records.
 *
 * @param <T> type of the records
 * @param <K> type of the keys
 */
record MachineInput<T, K>(KeySelector<T, K> keys, IdHasher<K> hasher, EventSelector<T> events)
        implements Serializable {}
