/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CuckooShape;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Two exact multisets, and the exchange between them. */
final class TwoSides {

    /** The query-based or the decoding-based method. */
    enum Method {
        QUERY,
        DECODING
    }

    Map<Long, Long> a = new LinkedHashMap<>();
    Map<Long, Long> b = new LinkedHashMap<>();

    /** {@code both} elements on both sides, half of them with equal multiplicities from 1. */
    static TwoSides random(SplittableRandom random, int each, int both, int mostCopies) {
        TwoSides sides = new TwoSides();
        while (sides.a.size() < both) {
            long hash = random.nextLong();
            long copies = 1L + random.nextInt(mostCopies);
            sides.a.put(hash, copies);
            sides.b.put(hash, random.nextBoolean() ? copies : 1L + random.nextInt(mostCopies));
        }
        for (Map<Long, Long> side : List.of(sides.a, sides.b)) {
            while (side.size() < each) {
                side.put(random.nextLong(), 1L + random.nextInt(mostCopies));
            }
        }
        return sides;
    }

    static RootSet root(Map<Long, Long> set) {
        return visitor -> set.forEach(visitor::element);
    }

    /** The target: every element at its greater multiplicity. */
    Map<Long, Long> union() {
        Map<Long, Long> union = new HashMap<>(a);
        b.forEach((hash, copies) -> union.merge(hash, copies, Math::max));
        return union;
    }

    Set<Long> elements() {
        Set<Long> elements = new HashSet<>(a.keySet());
        elements.addAll(b.keySet());
        return elements;
    }

    /** One round in which both sides send; returns whether the digests were equal before. */
    boolean sendRound(CuckooShape shape, Collisions collisions, Method method, long seed) {
        MultisetDigest ofA = MultisetDigest.of(root(a), shape, collisions, seed);
        MultisetDigest ofB = MultisetDigest.of(root(b), shape, collisions, seed);
        if (ofA.tellsTheSameSetAs(ofB)) {
            return true;
        }
        MultisetDifference atA = difference(method, a, ofA, ofB);
        MultisetDifference atB = difference(method, b, ofB, ofA);
        receive(b, atA);
        receive(a, atB);
        return false;
    }

    static MultisetDifference difference(
            Method method, Map<Long, Long> set, MultisetDigest own, MultisetDigest peer) {
        return method == Method.QUERY
                ? MultisetDifference.byQuery(root(set), peer)
                : MultisetDifference.byDecoding(root(set), own, peer);
    }

    private static void receive(Map<Long, Long> set, MultisetDifference sent) {
        for (ElementList list : List.of(sent.missing(), sent.fewer(), sent.undecided())) {
            for (int i = 0; i < list.size(); i++) {
                set.merge(list.hash(i), list.multiplicity(i), Math::max);
            }
        }
    }

    /** The elements of a list, with the peer's counts. */
    static Map<Long, Long> atPeer(ElementList list) {
        Map<Long, Long> map = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            map.put(list.hash(i), list.atPeer(i));
        }
        return map;
    }
}
