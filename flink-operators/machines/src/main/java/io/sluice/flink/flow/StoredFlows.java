/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.StoredMachines;
import io.sluice.flink.machine.store.StoreKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.annotation.Internal;

/** Reads the flows of a key group that {@link FlowStateMachine} wrote. Stateless. */
@Internal
public final class StoredFlows {

    private static final List<String> NAMES =
            IntStream.range(0, FlowStates.COUNT).mapToObj(FlowStates::name).toList();

    private StoredFlows() {}

    /** Returns whether {@link FlowStateMachine} wrote state of this layout. */
    public static boolean areIn(String layout) {
        return layout.startsWith(FlowOperator.LAYOUT);
    }

    /**
     * Reads flows, ended ones that are still held included.
     *
     * @param source what is read, for messages
     * @param kind of the store: not of filters, which cannot list what they hold
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static StoredMachines readFrom(InputStream in, String source, StoreKind kind)
            throws IOException {
        FlowCounts unused = FlowCounts.readFrom(in, source);
        return StoredMachines.readFrom(in, source, kind, NAMES);
    }
}
