/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.Damage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept of flows: golden files, which must be readable for ever, and damage. */
class FlowFormatTest {

    private static byte[] golden(String name) throws IOException {
        try (InputStream in =
                FlowFormatTest.class.getResourceAsStream("/golden/flows/v1-" + name + ".bin")) {
            return in.readAllBytes();
        }
    }

    /** Counts and store, and nothing behind them. */
    private static FlowTracker read(String name, InputStream in, String source) throws IOException {
        FlowCounts counts = FlowCounts.readFrom(in, source);
        FlowStore store =
                name.equals("exact")
                        ? ExactFlowStore.readFrom(
                                in, source, FlowTimeouts.DEFAULT, FlowMemory.unlimited())
                        : GenerationalFlowStore.readFrom(
                                in,
                                source,
                                GoldenFlows.FACTORY,
                                FlowTimeouts.DEFAULT,
                                FlowMemory.unlimited(),
                                16);
        return new FlowTracker(
                new ConnectionMachine(true), store, counts, FlowTracker.TimedOut.IGNORE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "kbf"})
    void readsTheGoldenFlows(String name) throws IOException {
        byte[] bytes = golden(name);
        FlowTracker read = read(name, new ByteArrayInputStream(bytes), "golden");
        FlowTracker expected =
                GoldenFlows.fill(
                        name.equals("exact") ? GoldenFlows.exact() : GoldenFlows.generations());
        for (int state = 0; state < FlowStates.COUNT; state++) {
            assertThat(read.store().flows(state)).isEqualTo(expected.store().flows(state));
        }
        for (ConnState state : ConnState.values()) {
            assertThat(read.counts().ended(state)).isEqualTo(expected.counts().ended(state));
            assertThat(read.counts().timedOut(state)).isEqualTo(expected.counts().timedOut(state));
        }
        assertThat(read.counts().packets()).isEqualTo(expected.counts().packets());
        assertThat(read.counts().attempts()).isEqualTo(expected.counts().attempts()).isPositive();
        assertThat(read.counts().completed()).isEqualTo(expected.counts().completed()).isPositive();
        assertThat(read.store().flows()).isPositive();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        read.writeTo(written);
        // The exact store may have other slots than it had, and so another order.
        if (name.equals("exact")) {
            assertThat(written.toByteArray()).hasSameSizeAs(bytes);
        } else {
            assertThat(written.toByteArray()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "kbf"})
    void refusesEveryFlippedByteAndEveryPrefix(String name) throws IOException {
        Damage.isAlwaysRefused(golden(name), (in, source) -> read(name, in, source));
    }

    @Test
    void recordsKeepTheirBytes() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        FinishedFlow flow = new FinishedFlow(0x0102030405060708L, ConnState.RSTO, true, 9);
        FlowAlert alert = new FlowAlert(FlowAlert.Kind.ILLEGAL_FLAGS, 1, 0xff, 2);
        FinishedFlowSerializer.INSTANCE.serialize(flow, out);
        FlowAlertSerializer.INSTANCE.serialize(alert, out);
        assertThat(out.getCopyOfBuffer())
                .asHexString()
                .isEqualTo(
                        "0102030405060708000000000000000906010000000000000001000000000000000201FF");
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        assertThat(FinishedFlowSerializer.INSTANCE.deserialize(in)).isEqualTo(flow);
        assertThat(FlowAlertSerializer.INSTANCE.deserialize(in)).isEqualTo(alert);
        assertThat(in.available()).isZero();
    }
}
