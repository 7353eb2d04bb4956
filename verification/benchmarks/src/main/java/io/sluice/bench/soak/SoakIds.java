/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.capture.traffic.SplitMix64;
import java.io.Serializable;

/**
 * An endless stream of ids by arithmetic: what the record of a number has to become follows from
 * the number, so nothing has to be remembered. One record in ten repeats the id of an earlier one.
 *
 * @param range records before a repeat that it is drawn from, each equally likely
 * @param comeback how many records after its first occurrence an id comes once more and is new
 *     again, one in ten; a multiple of 10 and greater than {@code range}; 0: none does
 */
record SoakIds(long seed, long range, long comeback) implements Serializable {

    /** What a record is. */
    enum Kind {
        FIRST(0),
        COMEBACK(1),
        REPEAT(2);

        private final int index;

        Kind(int index) {
            this.index = index;
        }

        /** From 0 on: the place in arrays of counts. */
        int index() {
            return index;
        }
    }

    private static final int OF_TEN = 10;
    private static final int REPEATS = 9;
    private static final int COMEBACKS = 5;

    SoakIds {
        if (range < 1 || comeback % OF_TEN != 0 || (comeback != 0 && comeback <= range)) {
            throw new IllegalArgumentException(
                    "range " + range + " and comeback " + comeback + " leave no rule");
        }
    }

    Kind kind(long number) {
        long digit = number % OF_TEN;
        if (digit == REPEATS) {
            return Kind.REPEAT;
        }
        return digit == COMEBACKS && comeback > 0 && number >= comeback + COMEBACKS
                ? Kind.COMEBACK
                : Kind.FIRST;
    }

    /** The record whose id it repeats; itself if it repeats none inside the window. */
    long repeated(long number) {
        if (kind(number) != Kind.REPEAT) {
            return number;
        }
        long reach = Math.min(range, number);
        long back = Long.remainderUnsigned(SplitMix64.mix(seed ^ number), reach);
        long earlier = number - 1 - back;
        return earlier % OF_TEN == REPEATS ? earlier + 1 : earlier;
    }

    long id(long number) {
        long first = repeated(number);
        if (kind(first) == Kind.COMEBACK) {
            first -= comeback + COMEBACKS;
        }
        return SplitMix64.mix(seed + first);
    }

    /** How many of the records with numbers below {@code records} are of a kind. */
    long count(Kind kind, long records) {
        long repeats = records / OF_TEN;
        long comebacks =
                comeback == 0
                        ? 0
                        : Math.max(0, (records + OF_TEN - COMEBACKS - 1) / OF_TEN - comeback / 10);
        return switch (kind) {
            case REPEAT -> repeats;
            case COMEBACK -> comebacks;
            case FIRST -> records - repeats - comebacks;
        };
    }
}
