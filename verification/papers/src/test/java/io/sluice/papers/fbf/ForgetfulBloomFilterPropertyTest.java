/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random insertions, refreshes, changes of N, snapshots: nothing guaranteed is ever missing. */
class ForgetfulBloomFilterPropertyTest {

    /** Ids of one slice, and the least N that was in force since it began. */
    private static final class Slice {
        private final List<Long> ids = new ArrayList<>();
        private int leastPastFilters;

        Slice(int pastFilters) {
            leastPastFilters = pastFilters;
        }
    }

    @Test
    void neverForgetsWithinTheGuaranteedRefreshes() throws IOException {
        for (int i = 0; i < 3_000; i++) {
            history(Seeds.seed(i));
        }
    }

    private static void history(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> steps = new ArrayList<>();
        SeenRule rule = random.nextBoolean() ? SeenRule.SLICES : SeenRule.NEIGHBOUR_PAIRS;
        int past = random.nextInt(1, 10);
        int most = past + random.nextInt(20);
        ForgetfulBloomFilterBuilder builder =
                ForgetfulBloomFilter.builder().rule(rule).pastFilters(past).maxPastFilters(most);
        boolean blocked = rule == SeenRule.SLICES && random.nextBoolean();
        ForgetfulBloomFilter filter =
                (blocked ? builder.blocked(4_000, 2, 4) : builder.scattered(4_000, 8)).build();
        steps.add(rule + " N=" + past + " blocked=" + blocked);
        List<Slice> slices = new ArrayList<>(List.of(new Slice(past)));
        long id = 0;
        for (int step = random.nextInt(10, 80); step > 0; step--) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    int count = random.nextInt(60);
                    steps.add("add " + count);
                    for (int i = 0; i < count; i++, id++) {
                        if (filter.add(Hashing.hash(id))) {
                            slices.get(0).ids.add(id);
                        }
                    }
                }
                case 3 -> {
                    past = random.nextInt(1, filter.maxPastFilters() + 1);
                    steps.add("N=" + past);
                    filter.setPastFilters(past);
                    for (Slice slice : slices) {
                        slice.leastPastFilters = Math.min(slice.leastPastFilters, past);
                    }
                }
                case 4 -> {
                    steps.add("restore");
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    filter.writeTo(out);
                    filter =
                            ForgetfulBloomFilter.readFrom(
                                    new ByteArrayInputStream(out.toByteArray()), "snapshot");
                }
                default -> {
                    steps.add("refresh");
                    filter.refresh();
                    slices.add(0, new Slice(past));
                }
            }
            check(filter, slices, seed, steps);
        }
    }

    private static void check(
            ForgetfulBloomFilter filter, List<Slice> slices, long seed, List<String> steps) {
        for (int age = 0; age < slices.size(); age++) {
            Slice slice = slices.get(age);
            if (age > slice.leastPastFilters + 1) {
                slice.ids.clear();
            }
            for (long id : slice.ids) {
                if (!filter.mightContain(Hashing.hash(id))) {
                    throw new AssertionError(
                            "id "
                                    + id
                                    + " of age "
                                    + age
                                    + " is missing; -Dtest.seed="
                                    + seed
                                    + ": "
                                    + steps);
                }
            }
        }
    }
}
