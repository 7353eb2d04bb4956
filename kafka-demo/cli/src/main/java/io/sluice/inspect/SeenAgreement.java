/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether seen sets are equal in two checkpoints, by the ids that both keep exactly: those of their
 * samples, which choose ids by hash and so choose the same ones. Exact where the samples hold all
 * ids ({@code oneIn} is 1), otherwise an even choice of them.
 *
 * <p>Of the window, only what both cover is compared. Ids that only one has and that are later than
 * the clock of the other are counted apart: the other had not got there.
 *
 * @param idsA ids that the first holds, as far as a filter can tell
 * @param idsB ids that the second holds
 * @param compared ids of the samples that at least one has
 * @param onlyA those that only the first has
 * @param onlyB those that only the second has
 * @param laterA those that only the first has, later than the clock of the second
 * @param laterB those that only the second has, later than the clock of the first
 * @param estimatedOnlyA ids that only the first has, of the whole set, later ones too
 * @param estimatedOnlyB ids that only the second has, of the whole set, later ones too
 * @param oldestMillis least timestamp of an id that only one has; null if there are none
 * @param newestMillis greatest timestamp of an id that only one has; null if there are none
 * @param keyGroups those in which something differs
 * @param withoutSample key groups with ids and without a sample that knows them: not compared
 */
@Internal
public record SeenAgreement(
        long idsA,
        long idsB,
        long compared,
        long onlyA,
        long onlyB,
        long laterA,
        long laterB,
        long estimatedOnlyA,
        long estimatedOnlyB,
        @Nullable Long oldestMillis,
        @Nullable Long newestMillis,
        List<KeyGroup> keyGroups,
        List<Integer> withoutSample) {

    public SeenAgreement {
        keyGroups = List.copyOf(keyGroups);
        withoutSample = List.copyOf(withoutSample);
    }

    /**
     * The seen set of a key group.
     *
     * @param oneIn one in so many ids is compared
     */
    public record KeyGroup(
            int keyGroup,
            long idsA,
            long idsB,
            long oneIn,
            long compared,
            long onlyA,
            long onlyB,
            long laterA,
            long laterB,
            @Nullable Long oldestMillis,
            @Nullable Long newestMillis) {

        private boolean agrees() {
            return onlyA + onlyB + laterA + laterB == 0;
        }
    }

    /** Whether every key group was compared and no id was found that only one has. */
    public boolean agrees() {
        return keyGroups.isEmpty() && withoutSample.isEmpty();
    }

    /** Adds up key groups. Not thread-safe. */
    static final class Sum {
        private final List<KeyGroup> differing = new ArrayList<>();
        private final List<Integer> withoutSample = new ArrayList<>();
        private long idsA;
        private long idsB;
        private long compared;
        private long onlyA;
        private long onlyB;
        private long laterA;
        private long laterB;
        private long estimatedA;
        private long estimatedB;
        private long oldest = Long.MAX_VALUE;
        private long newest = Long.MIN_VALUE;

        void add(KeyGroup group) {
            idsA += group.idsA;
            idsB += group.idsB;
            compared += group.compared;
            onlyA += group.onlyA;
            onlyB += group.onlyB;
            laterA += group.laterA;
            laterB += group.laterB;
            estimatedA += (group.onlyA + group.laterA) * group.oneIn;
            estimatedB += (group.onlyB + group.laterB) * group.oneIn;
            if (!group.agrees()) {
                differing.add(group);
                oldest = Math.min(oldest, group.oldestMillis);
                newest = Math.max(newest, group.newestMillis);
            }
        }

        void addWithoutSample(int keyGroup, long a, long b) {
            idsA += a;
            idsB += b;
            withoutSample.add(keyGroup);
        }

        SeenAgreement result() {
            return new SeenAgreement(
                    idsA,
                    idsB,
                    compared,
                    onlyA,
                    onlyB,
                    laterA,
                    laterB,
                    estimatedA,
                    estimatedB,
                    differing.isEmpty() ? null : Long.valueOf(oldest),
                    differing.isEmpty() ? null : Long.valueOf(newest),
                    differing,
                    withoutSample);
        }
    }
}
