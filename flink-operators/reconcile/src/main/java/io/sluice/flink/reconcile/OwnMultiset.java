/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.message.ElementBatch;
import java.io.IOException;
import javax.annotation.Nullable;

/**
 * A replica's own multiset of one window and key group. The elements are with the {@link Host};
 * their order-free totals are here, and always those of the elements. Only grows. Not thread-safe.
 */
final class OwnMultiset {

    /** In place of copies: one, unless the element is there already. */
    static final long ONCE = 0;

    private final Side side;
    private long elements;
    private long copies;
    private long checksum;

    OwnMultiset(Side side, Totals totals) {
        this.side = side;
        this.elements = totals.elements();
        this.copies = totals.copies();
        this.checksum = totals.checksum();
    }

    /**
     * Adds copies: not more than can be counted, or {@link #ONCE}.
     *
     * @return whether the element is new
     */
    boolean add(long hash, byte[] id, long added, Host host) throws Exception {
        Host.Element held = host.get(hash);
        long before = held == null ? 0 : held.copies();
        if (added != ONCE) {
            set(hash, id, before, before + added, host);
        } else if (before == 0) {
            set(hash, id, 0, 1, host);
        }
        return held == null;
    }

    /**
     * Raises multiplicities to what the peer has.
     *
     * @param hashes of the elements: {@link #hashesOf}
     * @return how many were less
     */
    int raise(ElementBatch elementsOfPeer, long[] hashes, Host host) throws Exception {
        int raised = 0;
        for (int i = 0; i < hashes.length; i++) {
            raised += raise(hashes[i], elementsOfPeer.id(i), elementsOfPeer.copies(i), host);
        }
        return raised;
    }

    private int raise(long hash, byte[] id, long multiplicity, Host host) throws Exception {
        Host.Element held = host.get(hash);
        long before = held == null ? 0 : held.copies();
        if (multiplicity <= before) {
            return 0;
        }
        set(hash, held == null ? id : held.id(), before, multiplicity, host);
        host.repaired(id, before, multiplicity);
        return 1;
    }

    private void set(long hash, byte[] id, long before, long after, Host host) throws Exception {
        host.put(hash, new Host.Element(after, id));
        elements += before == 0 ? 1 : 0;
        copies += after - before;
        checksum += side.settings().checksumChange(hash, before, after);
    }

    /**
     * The hashes of elements; null if one is not an id or belongs to another key group, or if there
     * would be more copies than can be counted.
     */
    @Nullable
    long[] hashesOf(ElementBatch batch, Host host) {
        long[] hashes = new long[batch.size()];
        long most = copies;
        try {
            for (int i = 0; i < hashes.length; i++) {
                most = Math.addExact(most, batch.copies(i));
                hashes[i] = host.hash(batch.id(i));
                if (side.settings().setup().groupOf(hashes[i]) != side.group()) {
                    return null;
                }
            }
        } catch (IOException | ArithmeticException e) {
            return null;
        }
        return hashes;
    }

    long elements() {
        return elements;
    }

    long copies() {
        return copies;
    }

    Totals totals() {
        return new Totals(elements, copies, checksum);
    }

    SortedElements sorted(Host host) throws Exception {
        return SortedElements.of(host, elements);
    }
}
