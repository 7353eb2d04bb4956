/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.MachineCounts.Of;
import io.sluice.flink.machine.store.StoreKind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The state of machines: golden files, which must stay readable for ever, and damage. */
class MachineGroupFormatTest {

    private static MachineGroup read(MachineGroupFormat format, byte[] bytes) throws IOException {
        return format.read(new ByteArrayInputStream(bytes), "a file");
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenMachines(StoreKind store) throws IOException {
        MachineGroupFormat format = GoldenMachines.format(store);
        byte[] bytes = GoldenMachines.bytes(store);
        MachineGroup read = read(format, bytes);
        MachineGroup expected = GoldenMachines.filled(format);
        for (int state = 0; state < expected.machine().classes().states(); state++) {
            assertThat(read.store().machines(state)).isEqualTo(expected.store().machines(state));
        }
        assertThat(read.store().machines()).isPositive();
        assertThat(read.counts().numbers()).isEqualTo(expected.counts().numbers());
        for (Of each : new Of[] {Of.EVENTS, Of.ILLEGAL, Of.BEGAN, Of.FINISHED, Of.TIMED_OUT}) {
            assertThat(read.counts().get(each)).as(each.metric()).isPositive();
        }
        // A map may have other slots than before, and so another order.
        assertThat(GoldenMachines.written(format, read)).hasSameSizeAs(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryFlippedByteAndEveryPrefix(StoreKind store) throws IOException {
        Damage.isAlwaysRefused(GoldenMachines.bytes(store), GoldenMachines.format(store)::read);
    }

    /** Machines of a class of so many states with a name, over the store of golden machines. */
    private static byte[] group(int classes, int states, byte[] name, int words, long count)
            throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(4 + name.length)
                        .put((byte) classes)
                        .put((byte) states)
                        .putShort(Short.reverseBytes((short) name.length))
                        .put(name)
                        .flip();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        MachineGroupFormat.KIND,
                        MachineGroupFormat.VERSION_1,
                        parameters,
                        (long) words * Long.BYTES);
        long[] counts = new long[words];
        Arrays.fill(counts, count);
        writer.words(counts, 0, words);
        writer.finish();
        MachineGroupFormat format = GoldenMachines.format(StoreKind.EXACT);
        format.create().store().writeTo(out);
        return out.toByteArray();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void isRefused(byte[] bytes, String reason) {
        assertThatThrownBy(() -> read(GoldenMachines.format(StoreKind.EXACT), bytes))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContainingAll("a file, offset ", reason);
    }

    @Test
    void parametersThatNobodyWroteAreRefusedWithFileAndOffset() throws IOException {
        int counts = MachineCounts.NUMBERS;
        byte[] name = utf8("paid");
        assertThat(read(GoldenMachines.format(StoreKind.EXACT), group(1, 1, name, counts, 3)))
                .returns(3L, group -> group.counts().get(Of.BEGAN));
        isRefused(group(200, 1, name, counts, 0), "parameters end too early");
        isRefused(group(1, 2, name, counts, 0), "parameters end too early");
        isRefused(group(1, 0, name, counts, 0), "parameters of other than 0 states");
        isRefused(group(1, 1, new byte[] {(byte) 0xff}, counts, 0), "not UTF-8");
        isRefused(group(1, 1, name, counts - 1, 0), "counts of " + (counts - 1) * 8 + " bytes");
        isRefused(group(1, 1, name, counts + 1, 0), "counts of " + (counts + 1) * 8 + " bytes");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -(1L << 56) - 1, (1L << 56) + 1, Long.MAX_VALUE})
    void countsThatNobodyCountedAreRefused(long count) throws IOException {
        isRefused(
                group(1, 1, utf8("paid"), MachineCounts.NUMBERS, count),
                "an impossible count: " + count);
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void countsThatAreAsHighAsTheyGetAreReadAgain() throws IOException {
        MachineGroupFormat format = GoldenMachines.format(StoreKind.EXACT);
        MachineGroup group =
                read(format, group(1, 1, utf8("paid"), MachineCounts.NUMBERS, 1L << 56));
        boolean isFollowed = group.follow(1, group.machine().event("order"), 0);
        assertThat(isFollowed).isTrue();
        MachineGroup again = read(format, GoldenMachines.written(format, group));
        assertThat(again.counts().get(Of.EVENTS)).isEqualTo(1L << 56);
    }

    @Test
    void aStateThatIsGoneIsRefusedByItsNameWithTheFile() throws IOException {
        byte[] bytes = group(1, 1, utf8("lost"), MachineCounts.NUMBERS, 0);
        MachineDefinition machine = Orders.definition().build();
        assertThatThrownBy(() -> read(GoldenMachines.format(StoreKind.EXACT), bytes))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("a file: ")
                .hasMessageContaining("renamed(\"lost\", ...)");
        Map<String, String> renamed = Map.of("lost", "paid");
        assertThat(read(GoldenMachines.format(machine, renamed, StoreKind.EXACT), bytes))
                .returns(0L, group -> group.store().machines());
    }
}
