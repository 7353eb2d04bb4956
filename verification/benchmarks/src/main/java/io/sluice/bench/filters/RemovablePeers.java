/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.filters.FilterContest.Row;
import io.sluice.bench.rate.Life.Operation;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import java.util.List;
import java.util.Locale;

/**
 * Compares the quotient filter's add-if-absent with that of other Java filters that can remove, as
 * {@code qf.addIfAbsent.ratioTo}PEER.
 */
final class RemovablePeers {
    private static final String OURS = "quotient";
    private static final List<String> PEERS = List.of("cuckoofilter4j", "commonsCountingBloom");

    private RemovablePeers() {}

    /** The peers that took part. */
    static void compare(BenchReport report, FilterContest contest, List<Row> rows) {
        List<String> ids = rows.stream().map(Row::id).toList();
        for (String peer : PEERS) {
            if (ids.contains(OURS) && ids.contains(peer)) {
                Row row = rows.get(ids.indexOf(peer));
                Spread ratio = contest.ratio(OURS, peer, Operation.ADD_IF_ABSENT);
                String id = peer.substring(0, 1).toUpperCase(Locale.ROOT) + peer.substring(1);
                report.ratio(
                        "qf.addIfAbsent.ratioTo" + id,
                        ratio.median(),
                        row.name(),
                        ">= 2",
                        "%s; %d keys; the peer at %.1f bits a key, fpp %.4f; %s",
                        Operation.ADD_IF_ABSENT.meaning,
                        row.keys(),
                        row.bitsPerKey(),
                        row.fpp(),
                        ratio);
            }
        }
    }
}
