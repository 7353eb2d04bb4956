/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import org.apache.flink.annotation.Internal;
import org.apache.flink.util.OutputTag;

/** Tags of side outputs. */
@Internal
public final class SideOutputs {

    private SideOutputs() {}

    /**
     * Returns the same tag without its enclosing object: {@code new OutputTag<X>("name") {}} in an
     * instance method holds its {@code this}, which need not be serializable.
     */
    public static <T> OutputTag<T> plain(OutputTag<T> tag) {
        return new OutputTag<>(tag.getId(), tag.getTypeInfo());
    }
}
