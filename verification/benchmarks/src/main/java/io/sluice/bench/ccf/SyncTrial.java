/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.ccf.MultisetPair.Side;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import java.util.HashMap;
import java.util.Map;

/** One round between two sides, by every method, with its result and duration. */
final class SyncTrial {
    private final MultisetPair pair;
    private final Map<Long, Integer> elementOf = new HashMap<>();

    SyncTrial(MultisetPair pair) {
        this.pair = pair;
        for (int i = 0; i < pair.size(); i++) {
            elementOf.put(pair.hash(i), i);
        }
    }

    /** How an element's difference is found. */
    enum Method {
        QUERY("query"),
        DECODING("decode");

        /** The name in tables. */
        final String word;

        Method(String word) {
            this.word = word;
        }
    }

    /** What is done about a difference. See {@link MultisetDifference}. */
    enum Way {
        RAISING("raise"),
        SENDING("send");

        /** The name in tables. */
        final String word;

        Way(String word) {
            this.word = word;
        }
    }

    /** The digests of both sides. */
    record Digests(MultisetDigest a, MultisetDigest b) {
        MultisetDigest of(Side side) {
            return side == Side.A ? a : b;
        }
    }

    Digests digests(CuckooShape shape, Collisions collisions, long seed) {
        return new Digests(
                MultisetDigest.of(pair.root(Side.A), shape, collisions, seed),
                MultisetDigest.of(pair.root(Side.B), shape, collisions, seed));
    }

    MultisetDifference difference(Digests digests, Method method, Side side) {
        MultisetDigest peer = digests.of(side.other());
        return method == Method.QUERY
                ? MultisetDifference.byQuery(pair.root(side), peer)
                : MultisetDifference.byDecoding(pair.root(side), digests.of(side), peer);
    }

    SyncOutcome round(Digests digests, Method method, Way way) {
        long[] a = pair.copies(Side.A).clone();
        long[] b = pair.copies(Side.B).clone();
        MultisetDifference atA = difference(digests, method, Side.A);
        MultisetDifference atB = difference(digests, method, Side.B);
        if (way == Way.RAISING) {
            raise(a, atA.more());
            raise(b, atB.more());
        }
        long sent = send(atA, way, b) + send(atB, way, a);
        return SyncOutcome.of(pair, a, b, sent);
    }

    private void raise(long[] copies, ElementList more) {
        for (int i = 0; i < more.size(); i++) {
            copies[elementOf.get(more.hash(i))] = more.atPeer(i);
        }
    }

    private long send(MultisetDifference difference, Way way, long[] receiver) {
        long sent = send(difference.missing(), receiver);
        if (way == Way.SENDING) {
            sent += send(difference.fewer(), receiver) + send(difference.undecided(), receiver);
        }
        return sent;
    }

    private long send(ElementList elements, long[] receiver) {
        for (int i = 0; i < elements.size(); i++) {
            int element = elementOf.get(elements.hash(i));
            receiver[element] = Math.max(receiver[element], elements.multiplicity(i));
        }
        return elements.size();
    }

    /** The same with counting Bloom filters: by queries, as in the paper. */
    SyncOutcome roundOfBloomFilters(double bitsPerElement) {
        CountingBloomFilter filterOfA = bloomFilter(bitsPerElement, Side.A);
        CountingBloomFilter filterOfB = bloomFilter(bitsPerElement, Side.B);
        long[] a = pair.copies(Side.A).clone();
        long[] b = pair.copies(Side.B).clone();
        long sent = exchange(Side.A, filterOfB, a, b) + exchange(Side.B, filterOfA, b, a);
        return SyncOutcome.of(pair, a, b, sent);
    }

    CountingBloomFilter bloomFilter(double bitsPerElement, Side side) {
        CountingBloomFilter filter = new CountingBloomFilter(pair.each(), bitsPerElement);
        pair.root(side).forEach(filter::insert);
        return filter;
    }

    private long exchange(Side side, CountingBloomFilter peer, long[] own, long[] receiver) {
        long[] before = pair.copies(side);
        long sent = 0;
        for (int i = 0; i < before.length; i++) {
            if (before[i] > 0) {
                long atPeer = peer.count(pair.hash(i));
                if (atPeer == 0) {
                    receiver[i] = Math.max(receiver[i], before[i]);
                    sent++;
                } else if (atPeer > before[i]) {
                    own[i] = atPeer;
                }
            }
        }
        return sent;
    }
}
