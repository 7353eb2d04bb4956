/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** Copies of a snapshot whose raw keyed state is damaged. */
public final class DamagedState {

    private DamagedState() {}

    public static int rawKeyedStateSize(OperatorSubtaskState state) throws IOException {
        return bytes(handle(state)).length;
    }

    /** Flips one bit of one byte. */
    public static OperatorSubtaskState flipped(OperatorSubtaskState state, int offset)
            throws IOException {
        byte[] bytes = bytes(handle(state));
        bytes[offset] ^= 0x10;
        return with(state, bytes);
    }

    /** Keeps only the first {@code length} bytes. */
    public static OperatorSubtaskState truncated(OperatorSubtaskState state, int length)
            throws IOException {
        return with(state, Arrays.copyOf(bytes(handle(state)), length));
    }

    private static KeyGroupsStateHandle handle(OperatorSubtaskState state) {
        KeyedStateHandle handle = state.getRawKeyedState().iterator().next();
        return (KeyGroupsStateHandle) handle;
    }

    private static byte[] bytes(KeyGroupsStateHandle handle) throws IOException {
        try (var in = handle.openInputStream()) {
            return in.readAllBytes();
        }
    }

    private static OperatorSubtaskState with(OperatorSubtaskState state, byte[] bytes) {
        return OperatorSubtaskState.builder()
                .setManagedKeyedState(state.getManagedKeyedState())
                .setRawKeyedState(
                        StateObjectCollection.singleton(
                                new KeyGroupsStateHandle(
                                        handle(state).getGroupRangeOffsets(),
                                        new ByteStreamStateHandle("damaged", bytes))))
                .build();
    }
}
