/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

/** What every structure must do, so that comparisons of their speed are comparisons. */
final class StructureContract {
    private final Peer peer;
    private final Peer.Size size;
    private final double mostFpp;

    private StructureContract(Peer peer, Peer.Size size, double mostFpp) {
        this.peer = peer;
        this.size = size;
        this.mostFpp = mostFpp;
    }

    /**
     * Fills structures and tests every operation.
     *
     * @param mostFpp share of absent keys that a full one may report
     */
    static void check(Peer peer, Peer.Size size, double mostFpp) {
        assertThat(peer.id()).matches("[a-z][A-Za-z0-9]*");
        assertThat(peer.name()).doesNotContain(",").isNotEmpty();
        StructureContract contract = new StructureContract(peer, size, mostFpp);
        contract.holdsWhatItWasGiven();
        contract.addsOnlyWhatIsAbsent();
        if (peer.removes()) {
            contract.removes();
        }
    }

    private void holdsWhatItWasGiven() {
        try (Structure structure = peer.create(size)) {
            assertThat(reported(structure, size.keys()))
                    .as("reported when empty")
                    .isLessThan(0.001);
            insert(structure, size.keys());
            assertHolds(structure, size.keys());
            assertThat(reported(structure, 100_000)).as("fpp").isLessThanOrEqualTo(mostFpp);
            assertThat(structure.sizeInBytes()).isPositive();
        }
    }

    /** Half of the keys are already present; the other half is repeated at the end. */
    private void addsOnlyWhatIsAbsent() {
        try (Structure structure = peer.create(size)) {
            long half = size.keys() / 2;
            insert(structure, half);
            assertThat(added(structure, Keys.present(half), half)).isZero();
            assertThat(added(structure, Keys.absent(), half))
                    .isBetween((long) (half * (1 - mostFpp)) - 1, half);
            assertHolds(structure, half);
            // Last, because a filter with a window may take it as a sign to move on.
            assertThat(added(structure, Keys.absent(), half)).isZero();
        }
    }

    private void removes() {
        try (Structure structure = peer.create(size)) {
            long keys = size.keys();
            insert(structure, keys);
            double left = 0;
            for (long i = keys / 2; i < keys; i++) {
                assertThat(structure.remove(Keys.key(i))).as("key %d", i).isTrue();
            }
            assertHolds(structure, keys / 2);
            for (long i = keys / 2; i < keys; i++) {
                left += structure.contains(Keys.key(i)) ? 1 : 0;
            }
            assertThat(left / keys).as("share of removed keys that are reported").isLessThan(0.05);
        }
    }

    private static void insert(Structure structure, long keys) {
        for (long i = 0; i < keys; i++) {
            structure.insert(Keys.key(i));
        }
    }

    private static void assertHolds(Structure structure, long keys) {
        for (long i = 0; i < keys; i++) {
            assertThat(structure.contains(Keys.key(i))).as("key %d", i).isTrue();
        }
    }

    private static double reported(Structure structure, long probes) {
        double hits = 0;
        for (long i = 0; i < probes; i++) {
            hits += structure.contains(Keys.absent().at(i)) ? 1 : 0;
        }
        return hits / probes;
    }

    private static long added(Structure structure, Keys keys, long count) {
        long added = 0;
        for (long i = 0; i < count; i++) {
            added += structure.addIfAbsent(keys.at(i)) ? 1 : 0;
        }
        return added;
    }
}
