/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Persistent form of a {@link TotalsTable}: an envelope ({@link io.sluice.filter.format}) of kind
 * {@value #KIND} ("FT") without parameters. Its payload is the rows, of 12 numbers of 8 bytes each:
 *
 * <pre>
 *   hash of the flow
 *   address of the lower end (2), address of the upper end (2), zeroes if they are not known
 *   16 bits port of the lower end, 16 port of the upper end, 12 outer VLAN, 12 inner VLAN,
 *      8 bits: 1 the ends are known, 2 the lower end sent the first packet
 *   milliseconds since 1970 of the first packet, and of the last one
 *   packets of the lower end, packets of the upper end
 *   bytes of the lower end, bytes of the upper end
 * </pre>
 */
final class TotalsFormat {

    static final int KIND = 'F' << 8 | 'T';

    /** The first version. */
    static final int VERSION_1 = 1;

    private static final int BITS_MASK = 0xff;

    private TotalsFormat() {}

    static void write(TotalsTable table, OutputStream out) throws IOException {
        FilterWriter writer =
                new FilterWriter(
                        out,
                        KIND,
                        VERSION_1,
                        ByteBuffer.allocate(0),
                        (long) table.flows() * TotalsTable.ROW_BYTES);
        table.forEach((piece, at) -> writer.words(piece, at, TotalsTable.COLUMNS));
        writer.finish();
    }

    static TotalsTable read(InputStream in, String source, StoreMemory memory) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_1);
        long rows = reader.payloadLeft() / TotalsTable.ROW_BYTES;
        if (reader.parameters().hasRemaining()
                || reader.payloadLeft() != rows * TotalsTable.ROW_BYTES
                || rows > TotalsTable.MAX_ROWS) {
            throw reader.corrupt("totals of flows in " + reader.payloadLeft() + " bytes");
        }
        TotalsTable table = new TotalsTable(memory);
        for (long i = 0; i < rows; i++) {
            long[] row = reader.words(TotalsTable.COLUMNS);
            if (!isPossible(row)) {
                throw reader.corrupt("impossible totals of a flow");
            }
            if (!table.take(row)) {
                throw reader.corrupt("totals of a flow that are there twice");
            }
        }
        reader.finish();
        return table;
    }

    private static boolean isPossible(long[] row) {
        long ports = row[TotalsTable.PORTS];
        boolean hasEnds = (ports & TotalsTable.HAS_ENDS) != 0;
        boolean namesEnds =
                (row[TotalsTable.LOWER_HIGH]
                                | row[TotalsTable.LOWER_LOW]
                                | row[TotalsTable.UPPER_HIGH]
                                | row[TotalsTable.UPPER_LOW]
                                | ports >>> TotalsTable.INNER_VLAN_SHIFT)
                        != 0;
        boolean onlyInnerVlan =
                (ports >>> TotalsTable.VLAN_SHIFT & TotalsTable.VLAN_MASK) == 0
                        && (ports >>> TotalsTable.INNER_VLAN_SHIFT & TotalsTable.VLAN_MASK) != 0;
        long packets = row[TotalsTable.PACKETS] | row[TotalsTable.PACKETS + 1];
        long bytes = row[TotalsTable.BYTES] | row[TotalsTable.BYTES + 1];
        return (ports & BITS_MASK & ~TotalsTable.BITS) == 0
                && (hasEnds || !namesEnds)
                && !onlyInnerVlan
                && row[TotalsTable.FIRST] <= row[TotalsTable.LAST]
                && packets > 0
                && bytes >= 0;
    }
}
