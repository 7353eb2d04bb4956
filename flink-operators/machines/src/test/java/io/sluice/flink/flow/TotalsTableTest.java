/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.WhenFull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TotalsTableTest {

    private static final String GOLDEN = "flows/v1-totals.bin";
    private static final Address LOWER = new Address(Long.MIN_VALUE, -1);
    private static final Endpoints ENDS =
            new Endpoints(LOWER, 65_535, Address.ofIpv4(-1), 1, 4_095, 4_094);

    private static byte[] bytes(TotalsTable table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out);
        return out.toByteArray();
    }

    private static TotalsTable read(byte[] bytes) throws IOException {
        return TotalsTable.readFrom(
                new ByteArrayInputStream(bytes), "totals", StoreMemory.unlimited());
    }

    /** A flow with all that a row can hold, one without ends, one from before 1970. */
    private static TotalsTable golden() {
        TotalsTable table = new TotalsTable(StoreMemory.unlimited());
        table.add(table.begin(-1, ENDS, true, Long.MAX_VALUE), true, 3, Long.MAX_VALUE, 0);
        table.add(table.find(-1), false, Long.MAX_VALUE, 2, 1);
        table.add(table.begin(0, null, false, 1_000), false, 1, 0, 1_000);
        table.add(table.begin(7, ENDS, false, -5), false, 1, 40, -5);
        return table;
    }

    @Test
    void theGoldenTotalsAreReadAndWritten() throws IOException {
        GoldenFile.assertStillWritten(GOLDEN, bytes(golden()));
        TotalsTable read = read(GoldenFile.read(GOLDEN));
        assertThat(bytes(read)).isEqualTo(GoldenFile.read(GOLDEN));
        assertThat(read.flows()).isEqualTo(3);
        assertThat(read.totals(read.find(-1), true))
                .isEqualTo(
                        new FlowTotals(
                                ENDS, 0, Long.MAX_VALUE, 3, Long.MAX_VALUE, Long.MAX_VALUE, 2));
        assertThat(read.totals(read.find(0), false))
                .isEqualTo(new FlowTotals(null, 1_000, 1_000, 1, 0, 0, 0));
        assertThat(read.totals(read.find(7), false))
                .isEqualTo(new FlowTotals(ENDS, -5, -5, 1, 40, 0, 0));
        assertThat(read.isFirstFromLower(read.find(-1))).isTrue();
        assertThat(read.isFirstFromLower(read.find(7))).isFalse();
    }

    @Test
    void everyFlippedByteAndEveryPrefixIsRefused() throws IOException {
        Damage.isAlwaysRefused(
                bytes(golden()),
                (in, source) -> TotalsTable.readFrom(in, source, StoreMemory.unlimited()));
    }

    private static byte[] rowsOf(int version, long[]... rows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        TotalsFormat.KIND,
                        version,
                        ByteBuffer.allocate(0),
                        (long) rows.length * TotalsTable.ROW_BYTES);
        for (long[] row : rows) {
            writer.words(row, 0, row.length);
        }
        writer.finish();
        return out.toByteArray();
    }

    /** A row of one packet without ends. */
    private static long[] row(Consumer<long[]> change) {
        long[] row = new long[TotalsTable.COLUMNS];
        row[TotalsTable.PACKETS] = 1;
        change.accept(row);
        return row;
    }

    @Test
    void totalsThatNobodyCountedAreRefused() throws IOException {
        assertThat(read(rowsOf(1, row(row -> {}))).flows()).isEqualTo(1);
        List<Consumer<long[]>> changes =
                List.of(
                        row -> row[TotalsTable.PACKETS] = 0,
                        row -> row[TotalsTable.PACKETS + 1] = -1,
                        row -> row[TotalsTable.BYTES] = -1,
                        row -> row[TotalsTable.BYTES + 1] = Long.MIN_VALUE,
                        row -> row[TotalsTable.FIRST] = 1,
                        row -> row[TotalsTable.PORTS] = 4,
                        row -> row[TotalsTable.PORTS] = 1L << TotalsTable.LOWER_PORT_SHIFT,
                        row -> row[TotalsTable.UPPER_LOW] = 1,
                        row ->
                                row[TotalsTable.PORTS] =
                                        1L << TotalsTable.INNER_VLAN_SHIFT | TotalsTable.HAS_ENDS);
        for (Consumer<long[]> change : changes) {
            assertThatThrownBy(() -> read(rowsOf(1, row(change))))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("impossible totals");
        }
        assertThatThrownBy(() -> read(rowsOf(1, row(row -> {}), row(row -> {}))))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> read(rowsOf(2, row(row -> {}))))
                .isInstanceOf(UnsupportedFormatException.class);
        assertThatThrownBy(() -> read(rowsOf(1, new long[5])))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Begins, additions, removals and restores, against a map. */
    @Test
    void holdsWhatAMapHolds() throws IOException {
        SplittableRandom random = Seeds.random();
        TotalsTable table = new TotalsTable(StoreMemory.unlimited());
        Map<Long, long[]> model = new HashMap<>();
        List<Long> held = new ArrayList<>();
        for (int step = 0; step < 200_000; step++) {
            boolean grows = step / 20_000 % 2 == 0;
            if (random.nextInt(10) < (grows ? 7 : 3)) {
                long hash = random.nextLong();
                table.add(table.begin(hash, ENDS, true, step), true, 1, step, step);
                model.put(hash, new long[] {step, step, 1, step});
                held.add(hash);
            } else if (!held.isEmpty()) {
                int last = held.size() - 1;
                int any = random.nextInt(held.size());
                long hash = held.set(any, held.get(last));
                held.remove(last);
                assertThat(totals(table, hash)).isEqualTo(model.remove(hash));
                table.remove(table.find(hash));
                assertThat(table.find(hash)).isEqualTo(TotalsTable.ABSENT);
            }
            if (!held.isEmpty()) {
                long hash = held.get(random.nextInt(held.size()));
                table.add(table.find(hash), true, 2, 10, step);
                long[] numbers = model.get(hash);
                numbers[1] = step;
                numbers[2] += 2;
                numbers[3] += 10;
            }
            if (step % 50_000 == 0) {
                table = read(bytes(table));
            }
        }
        assertThat(table.flows()).isEqualTo(model.size());
        for (Map.Entry<Long, long[]> each : model.entrySet()) {
            assertThat(totals(table, each.getKey())).isEqualTo(each.getValue());
        }
    }

    private static long[] totals(TotalsTable table, long hash) {
        FlowTotals totals = table.totals(table.find(hash), true);
        return new long[] {
            totals.firstMillis(),
            totals.lastMillis(),
            totals.originatorPackets(),
            totals.originatorBytes()
        };
    }

    @Test
    void takesAboutAHundredBytesAFlowAndGivesThemBack() {
        StoreMemory memory = StoreMemory.unlimited();
        TotalsTable table = new TotalsTable(memory);
        int flows = 100_000;
        for (int flow = 0; flow < flows; flow++) {
            assertThat(table.begin(flow, ENDS, true, flow)).isEqualTo(flow);
        }
        assertThat(memory.usedBytes())
                .isEqualTo(table.sizeInBytes())
                .isBetween(96L * flows, 108L * flows);
        for (int flow = 0; flow < flows; flow++) {
            table.remove(table.find(flow));
        }
        assertThat(table.flows()).isZero();
        assertThat(memory.usedBytes()).isEqualTo(table.sizeInBytes()).isLessThan(2_000);
    }

    @Test
    void withoutRoomAFlowHasNoTotalsOrTheJobFails() {
        StoreMemory memory = new StoreMemory(10_000, WhenFull.IGNORE);
        TotalsTable table = new TotalsTable(memory);
        int held = 0;
        while (table.begin(held, ENDS, true, 0) != TotalsTable.ABSENT) {
            held++;
        }
        assertThat(held).isBetween(80, 100);
        assertThat(table.flows()).isEqualTo(held);
        assertThat(table.withoutRoom()).isEqualTo(1);
        assertThat(memory.refusals()).isEqualTo(1);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(10_000);
        table.remove(table.find(0));
        assertThat(table.begin(held, ENDS, true, 0)).isNotEqualTo(TotalsTable.ABSENT);

        TotalsTable strict = new TotalsTable(new StoreMemory(1_000, WhenFull.FAIL));
        assertThatThrownBy(() -> strict.begin(1, ENDS, true, 0))
                .isInstanceOf(FilterFullException.class);
    }
}
