/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.util.stream.IntStream;

/**
 * The state of a machine and the slice of its last use, as one small number: the states of a class
 * times the slices that are told apart in it, its <b>ages</b>. An age is a slice modulo their
 * number, so it stands for one slice of a window of so many. Immutable.
 */
final class StateAges {

    /** Beyond these, a machine counts as used later than it was, see {@link FingerprintStore}. */
    static final int MAX_AGES = 1 << 12;

    private final int[] states;
    private final int[] ages;

    /** The first value of each class. */
    private final int[] firsts;

    private final int[] firstStates;

    /** The class of each value. */
    private final byte[] codes;

    /**
     * @param states of each class
     * @param ages of each class, at least 1
     */
    StateAges(int[] states, int[] ages) {
        this.states = states.clone();
        this.ages = ages.clone();
        firsts = new int[states.length];
        firstStates = new int[states.length];
        for (int c = 1; c < states.length; c++) {
            firsts[c] = firsts[c - 1] + states[c - 1] * ages[c - 1];
            firstStates[c] = firstStates[c - 1] + states[c - 1];
        }
        codes = new byte[total(states, ages)];
        for (int c = 0, value = 0; c < states.length; c++) {
            for (int i = 0; i < states[c] * ages[c]; i++) {
                codes[value++] = (byte) c;
            }
        }
    }

    /**
     * As many ages as there are slices from the oldest one of a machine that has just timed out to
     * the latest one that is believed.
     *
     * @param spreadMillis how far ahead of the watermark a time is believed
     */
    static StateAges of(StateTimes times, long spreadMillis) {
        StateClasses classes = times.classes();
        int[] states = IntStream.range(0, classes.count()).map(classes::states).toArray();
        int[] ages = new int[states.length];
        for (int c = 0; c < ages.length; c++) {
            long ahead = spreadMillis / times.sliceMillis(c) + 1;
            ages[c] = (int) Math.min(MAX_AGES, times.slices() + 2 + ahead);
        }
        return new StateAges(states, ages);
    }

    /** Returns the values of all classes. */
    static int total(int[] states, int[] ages) {
        return IntStream.range(0, states.length).map(c -> states[c] * ages[c]).sum();
    }

    /** Returns how many values there are, at least 2: one more than the greatest. */
    int values() {
        return Math.max(2, codes.length);
    }

    /** Returns whether a state and an age make this value. */
    boolean isValue(int value) {
        return value < codes.length;
    }

    /** Returns the number of ages of a class. */
    int ages(int code) {
        return ages[code];
    }

    int[] states() {
        return states;
    }

    /** Returns the class of a value. */
    int codeOf(int value) {
        return codes[value];
    }

    /** Returns the state of a value. */
    int state(int value) {
        int c = codes[value];
        return firstStates[c] + (value - firsts[c]) / ages[c];
    }

    /** Returns the slice of a value: the one of the ages from {@code base} on. */
    long slice(int value, long base) {
        int c = codes[value];
        int age = (value - firsts[c]) % ages[c];
        return base + Math.floorMod(age - base, (long) ages[c]);
    }

    /** Returns the value of a state of a class and a slice. */
    int value(int code, int state, long slice) {
        return firsts[code]
                + (state - firstStates[code]) * ages[code]
                + (int) Math.floorMod(slice, (long) ages[code]);
    }
}
