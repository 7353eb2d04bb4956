/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.capture.SplitMix64;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import java.util.BitSet;

/**
 * The windowed filter over several windows of a steady stream: whether anything inside the window
 * is ever denied, and whether its own prediction of the error is right.
 */
final class ModelAgreement {
    private static final long WINDOW_MILLIS = 100_000;
    private static final double FPP = 1e-3;

    private ModelAgreement() {}

    static void run(FbfRun run) {
        run.report().progress("windowed filter: false negatives, prediction against measurement");
        int perWindow = run.report().quick() ? 100_000 : 1_000_000;
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(FPP)
                        .expectedPerWindow(perWindow)
                        .onOverflow(OverflowPolicy.FAIL)
                        .build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1L << 30), 0);
        long key = SplitMix64.mix(run.seed());
        int windows = 5;
        // A new id that is reported as seen is a false positive and is not recorded, so it need not
        // be found later.
        BitSet recorded = new BitSet(windows * perWindow);
        long denied = 0;
        long asked = 0;
        long hits = 0;
        long probes = 0;
        double predicted = 0;
        int looks = 0;
        long absent = key ^ 1L << 61;
        for (int i = 0; i < windows * perWindow; i++) {
            long now = (long) ((double) i / perWindow * WINDOW_MILLIS);
            filter.advanceTo(now);
            recorded.set(i, filter.add(SplitMix64.mix(key + i), now));
            // Every tenth of a window, from the second window on: all ids of the window, and as
            // many absent ones.
            if (i >= perWindow && i % (perWindow / 10) == 0) {
                int oldest = i - (perWindow - 1);
                for (int j = oldest; j <= i; j++) {
                    if (recorded.get(j)) {
                        asked++;
                        denied += filter.mightContain(SplitMix64.mix(key + j), now) ? 0 : 1;
                    }
                }
                for (int j = 0; j < perWindow; j++) {
                    hits += filter.mightContain(SplitMix64.mix(absent++), now) ? 1 : 0;
                }
                probes += perWindow;
                predicted += filter.predictedFpp();
                looks++;
            }
        }
        double measured = (double) hits / probes;
        run.report()
                .add(
                        "fbf.falseNegatives",
                        (double) denied,
                        "ids",
                        "<= 0",
                        "of " + asked + " lookups of ids inside the window");
        run.report()
                .add(
                        "fbf.fpp.measured",
                        measured,
                        "probability",
                        "<= " + FPP,
                        "windowed filter, steady stream of "
                                + perWindow
                                + " ids a window, "
                                + probes
                                + " absent ids");
        run.report()
                .ratio(
                        "fbf.fpp.measuredOverModel",
                        measured / (predicted / looks),
                        "the filter's own prediction from what it stores",
                        "",
                        "mean of " + looks + " looks");
    }
}
