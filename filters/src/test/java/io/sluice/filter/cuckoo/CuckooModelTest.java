/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random operations on a filter and on its exact equivalent: a multiset of pairs (the two buckets
 * of a hash, its fingerprint). Every answer must be equal, while the filter is filled to the brim
 * many times.
 */
class CuckooModelTest {

    private static final CuckooShape[] SHAPES = {
        new CuckooShape(12, 4, 256),
        new CuckooShape(8, 8, 150),
        new CuckooShape(4, 2, 64),
        new CuckooShape(16, 8, 300),
        new CuckooShape(13, 5, 502),
        new CuckooShape(20, 12, 200),
        new CuckooShape(32, 32, 128),
        new CuckooShape(10, 3, 2),
        new CuckooShape(9, 7, 4)
    };

    private static final int REFUSALS_OF_A_WAVE = 20;

    private final Map<Long, Long> model = new HashMap<>();
    private SplittableRandom random;
    private CountingCuckooFilter filter;
    private long refused;
    private boolean growing;
    private long refusalsOfWave;

    @Tag("thorough")
    @Test
    void agreesWithAnExactMultiset() throws IOException {
        run(250_000);
    }

    @Test
    @Tag("long")
    void agreesWithAnExactMultisetForLong() throws IOException {
        run(5_000_000);
    }

    private void run(int operations) throws IOException {
        for (int i = 0; i < SHAPES.length; i++) {
            long seed = Seeds.seed(i);
            random = new SplittableRandom(seed);
            Storage storage = i % 2 == 0 ? Storage.HEAP : Storage.OFF_HEAP;
            filter = CountingCuckooFilter.create(SHAPES[i], storage);
            model.clear();
            refused = 0;
            growing = true;
            refusalsOfWave = REFUSALS_OF_A_WAVE;
            try {
                for (int operation = 0; operation < operations; operation++) {
                    step();
                }
            } catch (AssertionError e) {
                throw new AssertionError(SHAPES[i] + ", -Dtest.seed=" + seed, e);
            }
            assertThat(refused).as("fillings to the brim of %s", SHAPES[i]).isPositive();
        }
    }

    private void step() throws IOException {
        // In waves: mostly insertions until some are refused, then mostly removals.
        long slots = filter.shape().slots();
        growing = growing ? refused < refusalsOfWave : filter.load() < 0.6;
        refusalsOfWave = growing ? refusalsOfWave : refused + REFUSALS_OF_A_WAVE;
        // Keys from a range little larger than the filter: copies and misses both happen.
        long hash = mix(random.nextLong(2 * slots));
        long id = id(hash);
        long held = model.getOrDefault(id, 0L);
        long max = filter.maxCount();
        equal(filter.count(hash), held);
        equal(filter.mightContain(hash) ? 1 : 0, held > 0 ? 1 : 0);
        int copies = 1 + random.nextInt(4);
        switch (random.nextInt(growing ? 10 : 40)) {
            case 0, 1, 2, 3 -> insert(hash, copies, held, id);
            case 4, 5, 6 -> add(hash, held, id);
            case 7, 10, 11, 12 -> {
                long removed = filter.remove(hash, copies);
                boolean stays = held == max;
                equal(removed, stays ? copies : Math.min(copies, held));
                remember(id, stays ? held : held - removed);
            }
            case 8, 13, 14, 15 -> {
                assertThat(filter.remove(hash)).isEqualTo(held > 0);
                remember(id, held == 0 || held == max ? held : held - 1);
            }
            default -> {
                equal(filter.removeAll(hash), held);
                remember(id, 0);
            }
        }
        equal(filter.occupied(), model.size());
        if (random.nextInt(20_000) == 0) {
            filter = readBack(bytes());
        }
    }

    /** An assertion without the cost of describing one that holds. */
    private static void equal(long found, long expected) {
        if (found != expected) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    private void insert(long hash, int copies, long held, long id) throws IOException {
        byte[] before = mayFail(hash, held) ? bytes() : null;
        try {
            filter.insert(hash, copies);
            remember(id, Math.min(filter.maxCount(), held + copies));
        } catch (FilterFullException e) {
            changedNothing(before);
        }
    }

    private void add(long hash, long held, long id) throws IOException {
        byte[] before = mayFail(hash, held) ? bytes() : null;
        try {
            assertThat(filter.add(hash)).isEqualTo(held == 0);
            remember(id, Math.max(1, held));
        } catch (FilterFullException e) {
            changedNothing(before);
        }
    }

    /** Both buckets full: only then may an insertion fail, and only of what is new. */
    private boolean mayFail(long hash, long held) {
        CuckooBuckets buckets = filter.buckets();
        long mixed = Hashing.mix(hash);
        long bucket = buckets.bucketOf(mixed);
        long other = buckets.alternate(bucket, buckets.fingerprintOf(mixed));
        return held == 0 && (buckets.emptySlots(bucket) | buckets.emptySlots(other)) == 0;
    }

    private void changedNothing(byte[] before) throws IOException {
        refused++;
        assertThat(before).as("refused although there was room").isNotNull();
        assertThat(Arrays.equals(bytes(), before)).as("unchanged, bit for bit").isTrue();
    }

    private void remember(long id, long count) {
        if (count == 0) {
            model.remove(id);
        } else {
            model.put(id, count);
        }
    }

    /** Equal for two hashes exactly if the filter cannot tell them apart. */
    private long id(long hash) {
        CuckooBuckets buckets = filter.buckets();
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long bucket = buckets.bucketOf(mixed);
        return Math.min(bucket, buckets.alternate(bucket, fingerprint)) << 32 | fingerprint;
    }

    private byte[] bytes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private CountingCuckooFilter readBack(byte[] bytes) throws IOException {
        Storage storage = random.nextBoolean() ? Storage.HEAP : Storage.OFF_HEAP;
        CountingCuckooFilter read =
                CountingCuckooFilter.readFrom(new ByteArrayInputStream(bytes), "copy", storage);
        assertThat(read.occupied()).isEqualTo(filter.occupied());
        return read;
    }

    private static long mix(long i) {
        long z = (i + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
