/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.plane.SlicedArray;

/**
 * Whether words can be those of a {@link ForgetfulBloomFilter}: checks the invariants that its
 * operations rely on and keep. O(size) for each live plane.
 *
 * <ul>
 *   <li>Every recorded id set at least one bit of the plane that was newest then, so no slice has
 *       more ids than its plane has set bits, however long it lasts.
 *   <li>A plane that is neither live nor retired is empty, because the next slice begins in it. So
 *       is a plane without ids, because it is dropped without a sweep.
 *   <li>The present filter holds everything that the future one does: the paper's simple check
 *       looks only there.
 * </ul>
 */
final class ForgetfulInvariants {

    private final SlicedArray array;
    private final SeenRule rule;
    private final int head;

    /**
     * @param head plane of the newest slice; older ones follow in ring order
     */
    ForgetfulInvariants(SlicedArray array, SeenRule rule, int head) {
        this.array = array;
        this.rule = rule;
        this.head = head;
    }

    /**
     * What is wrong; empty if nothing is.
     *
     * @param slices ids of each slice, newest first
     * @param used planes that may have bits
     */
    String problem(long[] slices, long used) {
        if (!array.holdsOnly(used)) {
            return "bits are set in a plane that is not in use";
        }
        for (int age = 0; age < slices.length; age++) {
            long bits = array.passing(plane(age));
            if (slices[age] > bits) {
                return "a slice of " + slices[age] + " ids with " + bits + " bits";
            }
            // The paper's filters also hold the slice after their own.
            long younger = rule.planesPerId() == 2 && age > 0 ? slices[age - 1] : 0;
            if (bits > 0 && slices[age] == 0 && younger == 0) {
                return bits + " bits of no id";
            }
        }
        boolean isPart =
                rule != SeenRule.SIMPLE
                        || array.passing(plane(0) | plane(1)) == array.passing(plane(0));
        return isPart ? "" : "the present filter does not hold what the future one does";
    }

    private long plane(int age) {
        return 1L << ((head + age) & (array.geometry().wordBits() - 1));
    }
}
