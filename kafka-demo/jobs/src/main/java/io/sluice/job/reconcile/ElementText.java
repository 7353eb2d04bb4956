/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import java.io.Serializable;

/**
 * How topics tell of an element: the key of its records, and a field of the JSON object there.
 *
 * @param <K> type of the ids of elements
 */
interface ElementText<K> extends Serializable {

    /** Returns the key of its records. */
    byte[] key(K element);

    /** Appends its field, name and value. */
    void append(K element, StringBuilder json);
}
