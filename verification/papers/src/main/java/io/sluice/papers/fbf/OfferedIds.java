/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.plane.Geometry;

/**
 * Converts the ids that a slice recorded into the number of random ids that would have set as many
 * bits. Pure functions.
 *
 * <p>An id that is reported is not recorded. So recorded ids are not random ones: each sets at
 * least one new bit, and in a full filter one recorded id stands for many random ones. With p(x)
 * the probability that the slice itself reports an id after x random ones, n recorded ids stand for
 * the N with n = integral from 0 to N of 1 - p. What other slices report is nearly independent of
 * this.
 */
final class OfferedIds {

    /** Below, the correction is less than this share of the probability. */
    private static final double NEGLIGIBLE = 0.01;

    /** Above, the slice is full whatever the number. */
    private static final double FULL = 1 - 1e-4;

    /** Growth of x per step of the integral. */
    private static final double STEP = 1.03;

    private static final int FIRST_STEPS = 16;

    private final Geometry geometry;

    OfferedIds(Geometry geometry) {
        this.geometry = geometry;
    }

    /** For {@code count} slices. */
    double[] of(long[] recorded, int count) {
        double[] offered = new double[count];
        for (int i = 0; i < count; i++) {
            offered[i] = offered((double) recorded[i]);
        }
        return offered;
    }

    private double offered(double recorded) {
        if (recorded == 0 || reported(recorded) < NEGLIGIBLE) {
            return recorded;
        }
        double left = recorded;
        double at = 0;
        double accepted = 1;
        double step = recorded / FIRST_STEPS;
        while (true) {
            double next = 1 - reported(at + step);
            double done = step * (accepted + next) / 2;
            if (done >= left) {
                return at + step * left / done;
            }
            at += step;
            left -= done;
            accepted = next;
            if (accepted <= 1 - FULL) {
                return at;
            }
            step = Math.max(step, (STEP - 1) * at);
        }
    }

    private double reported(double ids) {
        return ForgetfulSizing.fpp(geometry, SeenRule.SLICES, new double[] {ids});
    }
}
