/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.store.ExpiryListener;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.Lookup;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state of flows: golden files, which must stay readable for ever, and damage. */
class FlowFormatTest {

    @ParameterizedTest
    @ValueSource(strings = {"v2-exact", "v1-fingerprints", "v1-kbf"})
    void readsTheGoldenFlows(String name) throws IOException {
        byte[] bytes = GoldenFlows.bytes(name);
        FlowTracker read = GoldenFlows.read(name, new ByteArrayInputStream(bytes), "golden");
        FlowTracker expected = GoldenFlows.fill(GoldenFlows.store(name));
        for (int state = 0; state < FlowStates.COUNT; state++) {
            assertThat(read.store().machines(state)).isEqualTo(expected.store().machines(state));
        }
        for (ConnState state : ConnState.values()) {
            assertThat(read.counts().ended(state)).isEqualTo(expected.counts().ended(state));
            assertThat(read.counts().timedOut(state)).isEqualTo(expected.counts().timedOut(state));
        }
        assertThat(read.counts().packets()).isEqualTo(expected.counts().packets());
        assertThat(read.counts().attempts()).isEqualTo(expected.counts().attempts()).isPositive();
        assertThat(read.counts().completed()).isEqualTo(expected.counts().completed()).isPositive();
        assertThat(read.store().machines()).isPositive();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        read.writeTo(written);
        // The exact store may have different slots than before, and so another order; ages are
        // told apart from the oldest machine on.
        if (!name.endsWith("kbf")) {
            assertThat(written.toByteArray()).hasSameSizeAs(bytes);
        } else {
            assertThat(written.toByteArray()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2-exact", "v1-fingerprints", "v1-kbf"})
    void refusesEveryFlippedByteAndEveryPrefix(String name) throws IOException {
        Damage.isAlwaysRefused(
                GoldenFlows.bytes(name), (in, source) -> GoldenFlows.read(name, in, source));
    }

    private static FlowCounts countsOf(long number) throws IOException {
        int numbers = 9 + 2 * ConnState.COUNT;
        long[] words = new long[numbers];
        Arrays.fill(words, number);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        FlowCounts.KIND,
                        FlowCounts.VERSION_1,
                        ByteBuffer.allocate(0),
                        (long) numbers * Long.BYTES);
        writer.words(words, 0, numbers);
        writer.finish();
        return FlowCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), "counts");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
    void countsThatNobodyCountedAreRefused(long number) {
        assertThatThrownBy(() -> countsOf(number))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("an impossible count: " + number);
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void countsThatAreAsHighAsTheyGetAreReadAgain() throws IOException {
        FlowCounts counts = countsOf(FlowCounts.MOST);
        counts.packet(TcpFlags.SYN | TcpFlags.RST);
        counts.add(counts);
        assertThat(counts.ended()).isPositive();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.writeTo(out);
        FlowCounts read = FlowCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), "again");
        assertThat(read.packets()).isEqualTo(FlowCounts.MOST);
    }

    /** See {@link ExpiryListener}. */
    @Test
    void timeoutsThatAreTakenBackAreReadAgain() throws IOException {
        FlowCounts counts = new FlowCounts();
        counts.timedOut(ConnState.S0, -1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.writeTo(out);
        FlowCounts read = FlowCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), "again");
        assertThat(read.timedOut(ConnState.S0)).isEqualTo(-1);
    }

    /** A generation that claims these flows in its first two states, over a filter of one flow. */
    private static GenerationalStore generationOf(long inFirstState, long inSecondState)
            throws IOException {
        IdleClass of = IdleClass.OPENING;
        KeyValueFilter filter = GoldenFlows.FACTORY.create(of.code(), 16);
        filter.insert(1, 0);
        ByteBuffer parameters =
                ByteBuffer.allocate(4 + 17 + 8 * of.states())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(1)
                        .put((byte) of.code())
                        .putLong(0)
                        .putLong(1_000)
                        .putLong(inFirstState)
                        .putLong(inSecondState)
                        .position(4 + 17 + 8 * of.states());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new FilterWriter(out, 'F' << 8 | 'G', 1, parameters.flip(), 0).finish();
        GoldenFlows.FACTORY.write(filter, out);
        return generations(out.toByteArray());
    }

    private static GenerationalStore generations(byte[] bytes) throws IOException {
        return GenerationalStore.readFrom(
                new ByteArrayInputStream(bytes),
                "generations",
                GoldenFlows.FACTORY,
                FlowTimeouts.DEFAULT.states(),
                StoreMemory.unlimited(),
                16);
    }

    @Test
    void generationsWithFlowsThatNobodyCountedAreRefused() throws IOException {
        assertThat(generationOf(0, 0).machines()).isZero();
        for (long[] flows :
                new long[][] {{Long.MIN_VALUE, Long.MIN_VALUE}, {Long.MAX_VALUE, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> generationOf(flows[0], flows[1]))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("an impossible count: " + flows[0]);
        }
    }

    private record Ignoring() implements ExpiryListener {
        @Override
        public void expired(long hash, int state, long millis) {}

        @Override
        public void expired(int state, long count) {}
    }

    /**
     * A filter takes a new flow for one that it holds, in a state of none; that flow then leaves.
     */
    @Test
    void aGenerationThatMoreFlowsLeftThanCameIsReadAgain() throws IOException {
        GenerationalStore store = generationOf(0, 0);
        ExpiryListener ignore = new Ignoring();
        Lookup flow = new Lookup();
        assertThat(store.find(1, 0, flow, ignore)).isEqualTo(IdleClass.OPENING.firstState());
        store.put(flow, FlowStates.ESTABLISHED, ignore);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.writeTo(out);
        GenerationalStore read = generations(out.toByteArray());
        assertThat(read.machines(IdleClass.OPENING.firstState())).isEqualTo(-1);
        assertThat(read.machines()).isZero();
    }

    @Test
    void addressesAreReadFromTheirTextAndNoNameIsLookedUp() {
        for (Address address :
                new Address[] {
                    Address.ofIpv4(0),
                    Address.ofIpv4(-1),
                    Address.ofIpv4(0x0a000001),
                    new Address(0x20010db8L << 32, 7),
                    new Address(0, 0),
                    new Address(-1, -1)
                }) {
            assertThat(Address.parse(address.toString())).isEqualTo(address);
        }
        for (String no : new String[] {"", "localhost", "1.2.3", "1.2.3.256", "1.2.3.x", "::x"}) {
            assertThatThrownBy(() -> Address.parse(no))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + no + "' is no IP address");
        }
    }
}
