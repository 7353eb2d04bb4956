/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random histories against {@link WindowModel}: never a false negative inside the window, and what
 * is reported came at most a window and a slice away, but for the probability.
 */
class ForgetfulFilterPropertyTest {

    private static final List<OverflowPolicy> POLICIES = List.of(OverflowPolicy.values());

    private static final double[] PROBABILITIES = {0.3, 1e-2, 1e-3, 1e-5, 1e-9};

    @Tag("thorough")
    @Test
    void neverForgetsAnIdInsideTheWindow() {
        histories(2_000);
    }

    @Test
    @Tag("long")
    void neverForgetsAnIdInsideTheWindowInManyHistories() {
        histories(300_000);
    }

    private static void histories(int count) {
        for (int i = 0; i < count; i++) {
            long seed = Seeds.seed(i);
            History history = new History(seed);
            try {
                history.run();
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError(
                        "history with -Dtest.seed=" + seed + ": " + history.steps, e);
            }
        }
    }

    private static final class History {
        private final SplittableRandom random;
        private final List<String> steps = new ArrayList<>();
        private final MemoryBudget budget;
        private final WindowModel model;
        private final boolean clockOfCaller;
        private final boolean renews;
        private WindowOptions options;
        private ForgetfulFilter filter;
        private final Touches touches = new Touches();
        private final Layout[] layouts = Tables.LAYOUTS;
        private long nextId;

        /** Of all options so far. */
        private double worstFpp;

        private boolean lengthened;

        History(long seed) {
            random = new SplittableRandom(seed);
            budget = new MemoryBudget(1 + random.nextLong(1L << random.nextInt(23)), sharers());
            clockOfCaller = random.nextBoolean();
            renews = random.nextBoolean();
            options = randomOptions();
            long now =
                    switch (random.nextInt(4)) {
                        case 0 -> Long.MIN_VALUE;
                        case 1 -> -1_000_000;
                        default -> 0;
                    };
            model = new WindowModel(options, now);
            long firstIds = random.nextBoolean() ? 0 : options.expectedPerWindow();
            firstIds = Math.min(firstIds, 1 << 20);
            filter = ForgetfulFilter.create(options, budget, now, firstIds);
            steps.add("create " + options + " budget " + budget.maxBytes() + " now " + now);
            steps.add("made for " + firstIds + ", renews " + renews);
        }

        private WindowOptions randomOptions() {
            double fpp = PROBABILITIES[random.nextInt(PROBABILITIES.length)];
            worstFpp = Math.max(worstFpp, fpp);
            WindowOptions.Builder builder =
                    WindowOptions.builder()
                            .windowMillis(1 + random.nextLong(1L << random.nextInt(1, 12)))
                            .expectedPerWindow(expected())
                            .falsePositiveProbability(fpp)
                            .layout(layouts[random.nextInt(layouts.length)])
                            .onOverflow(POLICIES.get(random.nextInt(POLICIES.size())));
            if (random.nextInt(3) == 0) {
                builder.maxFalsePositiveProbability(fpp);
            }
            if (random.nextInt(3) == 0) {
                builder.maxFutureMillis(random.nextLong(3_000));
            }
            if (clockOfCaller) {
                builder.clockOfCaller();
            }
            return builder.build();
        }

        private int sharers() {
            return random.nextBoolean() ? 1 : random.nextInt(1, 40);
        }

        /** From one to far more than any array can have. */
        private long expected() {
            return random.nextInt(8) == 0
                    ? 1 + random.nextLong(1L << random.nextInt(1, 62))
                    : 1 + random.nextLong(1L << random.nextInt(1, 12));
        }

        void run() throws IOException {
            int length = random.nextInt(5, 60);
            for (int i = 0; i < length; i++) {
                step();
                check();
            }
            filter.close();
            filter.close();
            assertThat(budget.reserved()).isZero();
        }

        private void step() throws IOException {
            switch (random.nextInt(18)) {
                case 0 -> snapshotAndRestore();
                case 1 -> changeOptions();
                case 2 -> addMany(random.nextInt(1, 100), 20 * options.windowMillis());
                case 8 -> resetClock();
                case 9 -> addOne(wildTimestamp());
                case 3, 4, 5 -> advance(random.nextLong(1 + options.windowMillis() / 2));
                case 6 -> advance(random.nextLong(4 * options.windowMillis()));
                case 7 -> addMany(random.nextInt(1, 800), 0);
                default ->
                        addMany(
                                random.nextInt(1, 100),
                                random.nextLong(1 + options.windowMillis() / 4));
            }
        }

        private void advance(long by) {
            long to = model.clock() == Long.MIN_VALUE ? by : model.clock() + by;
            steps.add("advanceTo " + to);
            model.advanceTo(to, options.maxFutureMillis());
            filter.advanceTo(to);
        }

        private void resetClock() {
            steps.add("resetClock");
            model.resetClock();
            filter.resetClock();
        }

        private long wildTimestamp() {
            return switch (random.nextInt(4)) {
                case 0 -> Long.MIN_VALUE;
                case 1 -> Long.MAX_VALUE;
                default -> random.nextLong();
            };
        }

        private void changeTo(WindowOptions newOptions) {
            lengthened |= newOptions.windowMillis() > options.windowMillis();
            options = newOptions;
            model.changeOptions(options);
        }

        private void changeOptions() {
            changeTo(randomOptions());
            steps.add("changeOptions " + options);
            filter.changeOptions(options);
        }

        private void snapshotAndRestore() throws IOException {
            if (random.nextBoolean()) {
                changeTo(randomOptions());
            }
            steps.add("restore with " + options);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            filter.close();
            ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
            filter = ForgetfulFilter.readFrom(in, "snapshot", options, budget);
            assertThat(in.available()).isZero();
        }

        private void addMany(int count, long disorder) {
            long base = model.clock() == Long.MIN_VALUE ? 0 : model.clock();
            steps.add("add " + count + " from id " + nextId + " disorder " + disorder);
            for (int i = 0; i < count; i++) {
                add(SaturatedTime.plus(base, random.nextLong(-disorder, disorder + 1)));
            }
            touches.read();
        }

        private void addOne(long timestamp) {
            steps.add("add id " + nextId + " of " + timestamp);
            add(timestamp);
        }

        private void add(long timestamp) {
            boolean known = nextId > 0 && random.nextInt(4) == 0;
            long id = known ? random.nextLong(nextId) : nextId++;
            long held = filter.idsHeld();
            filter.touch(Hashing.hash(id), touches);
            boolean added;
            try {
                added =
                        renews
                                ? filter.addOrRenew(Hashing.hash(id), timestamp)
                                : filter.add(Hashing.hash(id), timestamp);
            } catch (FilterFullException e) {
                assertThat(options.overflow()).isEqualTo(OverflowPolicy.FAIL);
                assertThat(filter.idsHeld()).isLessThanOrEqualTo(held);
                followClock();
                return;
            }
            followClock();
            if (added) {
                // What add forgot to make room, it forgot after it had looked.
                if (model.mustBeSeen(id, timestamp, filter.coveredSince())) {
                    throw new AssertionError("id " + id + " was forgotten too early");
                }
            } else if (!model.mayBeSeen(id, timestamp)) {
                assertThat(worstFpp).as("id %s of %s", id, timestamp).isGreaterThan(1e-9);
            }
            if (added || renews) {
                model.record(id, timestamp, model.bounded(timestamp, options.maxFutureMillis()));
            }
        }

        /** {@link FollowedClockTest} checks where it goes. */
        private void followClock() {
            if (!clockOfCaller) {
                model.advanceTo(filter.clock(), options.maxFutureMillis());
            }
        }

        private void check() {
            long covered = filter.coveredSince();
            model.forEachThatMustBeSeen(
                    covered,
                    (id, time) -> {
                        if (!filter.mightContain(Hashing.hash(id), time)) {
                            throw new AssertionError("id " + id + " of " + time + " is missing");
                        }
                    });
            assertThat(filter.clock()).isEqualTo(model.clock());
            assertThat(filter.sizeInBytes()).isEqualTo(budget.reserved());
            assertThat(filter.segments()).hasSizeLessThanOrEqualTo(HeldSegments.MAX_SEGMENTS);
            // Of a window that was shorter only as much is asked as may err together.
            if (filter.overflows() == 0 && !lengthened) {
                assertThat(covered).isLessThanOrEqualTo(model.horizon());
            }
        }
    }
}
