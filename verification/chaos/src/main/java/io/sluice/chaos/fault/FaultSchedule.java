/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Faults without end. The kinds are dealt like a deck of cards that is shuffled again when it has
 * been used up, so each comes equally often. A function of the seed and the kinds; those that not
 * every machine has change nothing about the others.
 */
public final class FaultSchedule implements Iterator<Fault> {
    private static final double AWAITS_RECOVERY = 0.7;
    private static final long MIN_PAUSE_MILLIS = 2000;
    private static final int MORE_PAUSE_MILLIS = 6000;

    /** Longer than heartbeats may be missing, and shorter than a window of the jobs. */
    private static final long MIN_LENGTH_MILLIS = 10_000;

    private static final int MORE_LENGTH_MILLIS = 6000;

    /** Kinds that not every machine has are shuffled in, so that the others stay as they are. */
    private static final long OTHER_STREAM = 0x9E3779B97F4A7C15L;

    private final Random random;
    private final Random optionalRandom;
    private final List<FaultKind> kinds;
    private final List<FaultKind> optionalKinds;
    private final List<FaultKind> deck = new ArrayList<>();
    private int number;

    /**
     * For some kinds.
     *
     * @throws IllegalArgumentException if there are none
     */
    public FaultSchedule(long seed, Collection<FaultKind> kinds) {
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException("there is no kind of fault to choose from");
        }
        random = new Random(seed);
        optionalRandom = new Random(seed ^ OTHER_STREAM);
        Set<FaultKind> sorted = EnumSet.copyOf(kinds);
        this.kinds = sorted.stream().filter(kind -> !kind.isOptional()).toList();
        optionalKinds = sorted.stream().filter(FaultKind::isOptional).toList();
    }

    @Override
    public boolean hasNext() {
        return true;
    }

    @Override
    public Fault next() {
        if (deck.isEmpty()) {
            deck.addAll(kinds);
            Collections.shuffle(deck, random);
            for (FaultKind kind : optionalKinds) {
                deck.add(optionalRandom.nextInt(deck.size() + 1), kind);
            }
        }
        FaultKind kind = deck.remove(deck.size() - 1);
        return fault(kind, kind.isOptional() ? optionalRandom : random);
    }

    private Fault fault(FaultKind kind, Random random) {
        return new Fault(
                ++number,
                kind,
                Duration.ofMillis(MIN_PAUSE_MILLIS + random.nextInt(MORE_PAUSE_MILLIS)),
                Duration.ofMillis(MIN_LENGTH_MILLIS + random.nextInt(MORE_LENGTH_MILLIS)),
                random.nextInt(1 << 20),
                random.nextLong(),
                random.nextDouble() < AWAITS_RECOVERY);
    }
}
