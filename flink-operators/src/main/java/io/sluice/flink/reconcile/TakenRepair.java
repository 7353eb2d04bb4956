/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.io.IOException;
import javax.annotation.Nullable;

/** Raises multiplicities to what the peer has according to a repair. Stateless. */
final class TakenRepair {

    private TakenRepair() {}

    /**
     * Null if one of them is not an id or belongs to another key group: then nothing is applied.
     */
    @Nullable
    static long[] hashesOf(ElementBatch batch, Reconciliation exchange, Host host) {
        long[] hashes = new long[batch.size()];
        try {
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = host.hash(batch.id(i));
                if (exchange.settings().setup().groupOf(hashes[i]) != exchange.side.group()) {
                    return null;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return hashes;
    }

    /**
     * Applies what this side has fewer copies of.
     *
     * @param ofRound of the filter that it answers
     * @return whether there was any
     */
    static boolean take(
            ElementBatch batch, long[] hashes, int ofRound, Reconciliation exchange, Host host)
            throws Exception {
        boolean news = false;
        for (int i = 0; i < hashes.length; i++) {
            if (raise(hashes[i], batch.id(i), batch.copies(i), exchange, host)) {
                exchange.statistics.countRepaired(ofRound);
                news = true;
            }
        }
        return news;
    }

    private static boolean raise(
            long hash, byte[] id, long multiplicity, Reconciliation exchange, Host host)
            throws Exception {
        Host.Element held = host.get(hash);
        long before = held == null ? 0 : held.copies();
        if (multiplicity <= before) {
            return false;
        }
        host.put(hash, new Host.Element(multiplicity, held == null ? id : held.id()));
        exchange.own.raise(
                held == null, multiplicity - before, exchange.settings().checksumOf(hash));
        host.repaired(id, before, multiplicity);
        return true;
    }
}
