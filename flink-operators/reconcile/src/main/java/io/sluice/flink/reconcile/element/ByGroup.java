/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.element;

import io.sluice.flink.reconcile.message.Setup;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The key of a record: that of its id's key group. A record whose id is null has the first key.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
@Internal
public final class ByGroup<T, K> implements KeySelector<T, Integer> {

    private final KeySelector<T, K> idSelector;
    private final ElementIds<K> ids;
    private final Setup setup;
    @Nullable private transient Integer[] keys;

    public ByGroup(KeySelector<T, K> idSelector, ElementIds<K> ids, Setup setup) {
        this.idSelector = idSelector;
        this.ids = ids;
        this.setup = setup;
    }

    @Override
    public Integer getKey(T record) throws Exception {
        if (keys == null) {
            keys = GroupKeys.of(setup.groups());
        }
        K id = idSelector.getKey(record);
        return keys[id == null ? 0 : setup.groupOf(ids.hash(id))];
    }
}
