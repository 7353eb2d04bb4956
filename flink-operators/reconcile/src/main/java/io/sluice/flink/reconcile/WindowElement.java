/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/**
 * An element of a finished window, repaired.
 *
 * @param window its start, ms
 * @param element the id
 * @param copies its multiplicity, the larger one of both replicas if they agreed
 * @param <K> type of the ids
 */
@Experimental
public record WindowElement<K>(long window, K element, long copies) {}
