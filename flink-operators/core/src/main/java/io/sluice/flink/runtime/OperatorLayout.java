/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The layout, in the sense of {@link KeyGroupedState}, of an operator that has no such state: each
 * subtask writes it as operator state, and each checks what all of them wrote.
 */
@Internal
public final class OperatorLayout {

    private static final ListStateDescriptor<String> WRITTEN =
            new ListStateDescriptor<>("layout", Types.STRING);

    private final String layout;
    private final ListState<String> written;

    private OperatorLayout(String layout, ListState<String> written) {
        this.layout = layout;
        this.written = written;
    }

    /**
     * Checks the layout that was restored, if there is one.
     *
     * @param operator how messages name the operator
     * @throws IllegalStateException if it is another one
     */
    public static OperatorLayout restored(OperatorStateStore store, String operator, String layout)
            throws Exception {
        requireNonNull(layout, "layout");
        ListState<String> written = store.getUnionListState(WRITTEN);
        for (String before : written.get()) {
            if (!before.equals(layout)) {
                throw refusal("state of operator " + operator, before, layout);
            }
        }
        return new OperatorLayout(layout, written);
    }

    /** For operators that do not write theirs like this. */
    static void requireNone(OperatorStateStore store, String operator, String layout)
            throws Exception {
        if (store.getRegisteredStateNames().contains(WRITTEN.getName())) {
            OperatorLayout unused = restored(store, operator, layout);
        }
    }

    /** Must be called in {@code snapshotState}. */
    public void write() throws Exception {
        written.update(List.of(layout));
    }

    /**
     * Returns what refuses a state.
     *
     * @param source what the state is
     * @param written the layout that it has
     * @param layout the layout that it should have
     */
    static IllegalStateException refusal(String source, String written, String layout) {
        return new IllegalStateException(
                source
                        + ": was written by ["
                        + written
                        + "], but the operator is now ["
                        + layout
                        + "]: set the options back, or give the operator a new uid and start it"
                        + " without this state.");
    }
}
