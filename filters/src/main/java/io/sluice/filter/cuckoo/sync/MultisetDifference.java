/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

/**
 * How one side's multiset differs from its peer's, as far as the peer's digest tells. The target of
 * both sides is the union: every element at the greater of its two multiplicities.
 *
 * <p>Two ways to get there with it:
 *
 * <ul>
 *   <li><b>Raising</b> (the paper's): both sides send what is {@link #missing}, take over what they
 *       are sent, and set what is {@link #more} at the peer to the peer's count. Sends least. A
 *       count that belongs to another element is taken over for good.
 *   <li><b>Sending</b>: both sides send what is {@link #missing}, {@link #fewer} and {@link
 *       #undecided}, with their own multiplicities, and take the greater one of what they are sent
 *       and have. Every count that is taken over was exact on one side, so no count is ever wrong;
 *       but a difference may go unnoticed.
 * </ul>
 *
 * <p>Either way an element that the peer lacks goes unnoticed if the peer has an equal fingerprint
 * with the same count in its place, with about the probability of a false positive. Digests of both
 * results show it ({@link MultisetDigest#tellsTheSameSetAs}), and another round with another seed
 * finds it.
 *
 * @param missing D_c: the peer has none. By decoding, also elements of which one is missing, where
 *     several have the same fingerprint and count and it cannot be told which
 * @param fewer D_m: the peer has some, but fewer; it lacks {@link ElementList#difference} of them
 * @param more the peer has more: what it will find to be fewer here
 * @param undecided equal or different, it cannot be told: several elements share the fingerprint,
 *     or both counts are saturated. {@link ElementList#atPeer} is the greatest count that may be
 *     this element's
 */
public record MultisetDifference(
        ElementList missing, ElementList fewer, ElementList more, ElementList undecided) {

    /** Slots of two buckets: the most that can hold one fingerprint. */
    static final int MAX_EQUAL = 8;

    private MultisetDifference() {
        this(new ElementList(), new ElementList(), new ElementList(), new ElementList());
    }

    /**
     * The query-based method: looks up each element of {@code own} in the peer's filter.
     * O(elements), two cache lines each.
     */
    public static MultisetDifference byQuery(RootSet own, MultisetDigest peer) {
        MultisetDifference difference = new MultisetDifference();
        own.forEach(new QueryMethod(peer, difference)::element);
        return difference;
    }

    /**
     * The decoding-based method: strips copies of both filters of the slots that they have in
     * common, and then recognises the elements of {@code own} among what is left. O(slots +
     * elements).
     *
     * @param ownDigest of {@code own}, with the peer's shape, seed and way with collisions
     * @throws IllegalArgumentException if the digests do not match
     */
    public static MultisetDifference byDecoding(
            RootSet own, MultisetDigest ownDigest, MultisetDigest peer) {
        MultisetDifference difference = new MultisetDifference();
        own.forEach(new DecodingMethod(ownDigest, peer, difference)::element);
        return difference;
    }

    /**
     * Files an element of which the peer has {@code atPeer} copies, or at least that many if
     * saturated.
     */
    void compare(long hash, long multiplicity, long atPeer, long max) {
        if (multiplicity > atPeer && atPeer < max) {
            fewer.add(hash, multiplicity, atPeer);
        } else if (multiplicity < atPeer) {
            more.add(hash, multiplicity, atPeer);
        } else {
            undecided.add(hash, multiplicity, atPeer);
        }
    }

    static long greatest(long[] counts, int n) {
        long greatest = 0;
        for (int i = 0; i < n; i++) {
            greatest = Math.max(greatest, counts[i]);
        }
        return greatest;
    }
}
