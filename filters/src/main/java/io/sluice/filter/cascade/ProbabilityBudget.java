/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.function.IntPredicate;

/**
 * How much of the false-positive probability is used, and what is left for entries to come. There
 * is one budget for the life of a set: everything that is held is charged to it, whenever and with
 * whatever options it was written, and a restore does not start a new one. Every key group has this
 * budget to itself, so it holds however keys are spread over them.
 *
 * <p>Entries with fewer bits than the first era's are <b>lax</b>: they were written for a greater
 * probability than the configured one, p, or for fewer entries. They are charged like all others,
 * unless more than p is used at the opening. Later entries cannot make up for that. They then have
 * p for themselves, or what the previous bound in force left them if that is less, and <b>the bound
 * in force</b> is what the lax ones use plus that. It comes down as they expire, and they are
 * charged again when they use half of p or less, and there is room for them.
 *
 * <p>What is charged may use more than p at the opening, if p was lowered. Nothing is forgotten for
 * that: the bound is raised to what is used plus a sixteenth of p, but not above the one that was
 * in force before, which is part of the manifest. Where that leaves no room, because it was another
 * part of the set that had it, or sizes of sections were estimated, it is raised above by a little.
 *
 * <p>Used only by the owner.
 */
final class ProbabilityBudget {

    /** What {@link #raise} gives each time, as a part of p. */
    private static final double RAISE_PART = 1.0 / 16;

    /**
     * What is left at least, as a part of p, if more than p is charged: enough for millions of
     * entries with all bits in 128 key groups at 1e-6, and little even after a hundred restores.
     */
    private static final double MIN_PART = 1.0 / 1024;

    /** As a part of p: what lax entries may use and still be charged. */
    private static final double CHARGED_PART = 1.0 / 2;

    /** What {@link #raise} gives each key group at least: entries with all bits. */
    private static final int RAISE_ENTRIES = 16;

    /**
     * Entries that are not reported for each tombstone: itself. What it hides may be gone: a merge
     * of both keeps only the tombstone, if anything older is there.
     */
    static final int HIDDEN = 1;

    private final Eras eras;
    private final KeyGroups keyGroups;
    private final KeyGroupParts parts;
    private final double configured;

    /** The probability of {@value #RAISE_ENTRIES} entries with all bits. */
    private final double fewEntries;

    /** What lax entries use that is not charged. */
    private double lax;

    /** Whether lax entries are not charged. */
    private boolean sparesLax;

    /** What all others may use above p; less than 0 if they may use less. */
    private double excess;

    /**
     * @param found what is held at the opening
     * @param lastBound the bound that was in force when it was written; 0 if nothing was
     */
    ProbabilityBudget(CascadeOptions options, Version found, double lastBound) {
        this.eras = options.eras();
        this.keyGroups = options.keyGroups();
        this.parts = options.parts();
        this.configured = eras.falsePositiveProbability();
        this.fewEntries =
                Math.scalb(
                        (double) RAISE_ENTRIES / parts.count(), -eras.hashBits(eras.count() - 1));
        double all = used(found, null, 0, false);
        double own = used(found, null, 0, true);
        if (all + own <= (lastBound <= configured ? configured : nearlyConfigured())) {
            return;
        }
        this.sparesLax = all > CHARGED_PART * configured;
        this.lax = sparesLax ? all : 0;
        double charged = sparesLax ? own : all + own;
        // Restores cannot raise what is below p beyond p, but could raise what is above without
        // end.
        double least = charged <= configured ? RAISE_PART : MIN_PART;
        double left = Math.max(lastBound - lax, charged + configured * least);
        this.excess = Math.min(left - configured, wanted(charged));
    }

    /** Upper bound of the probability that an absent hash is reported. */
    double bound() {
        return Math.min(1, configured + excess + lax);
    }

    /** Lowers the bound to what is needed now. */
    void look(Version version, EntryBuffer active) {
        if (!sparesLax && excess == 0) {
            return;
        }
        double all = used(version, null, 0, false);
        double own = used(version, active, 0, true);
        sparesLax &=
                all > CHARGED_PART * configured
                        || all + own > nearlyConfigured() + Math.max(0, excess);
        lax = sparesLax ? all : 0;
        if (!sparesLax) {
            excess = Math.max(0, excess);
        }
        if (excess > 0) {
            excess = Math.min(excess, wanted(sparesLax ? own : all + own));
        }
    }

    /** Raises the bound, so that there is some room again. */
    void raise(Version version, EntryBuffer active) {
        excess = Math.max(excess, roomAbove(charged(version, active).greatest()));
    }

    private double wanted(double used) {
        return used <= nearlyConfigured() ? 0 : roomAbove(used);
    }

    /** Beyond this, what is left of p may be too little even for entries with all bits. */
    private double nearlyConfigured() {
        return configured * (1 - MIN_PART);
    }

    private double roomAbove(double used) {
        return used - configured + Math.max(configured * RAISE_PART, fewEntries);
    }

    private KeyGroupLoad charged(Version version, EntryBuffer active) {
        return load(version, active, HIDDEN, bits -> isOwn(bits) || !sparesLax);
    }

    /**
     * The latest era that anything belongs to, or the first one after it with a worthwhile amount
     * of room.
     *
     * @param active the buffer before; null if there is none
     * @param least fewer entries than this are not worthwhile
     * @return the last era's if there is none
     */
    EraRoom room(Version version, EntryBuffer active, long least) {
        KeyGroupLoad charged = charged(version, active);
        int last = eras.count() - 1;
        for (int era = latest(version, active); ; era++) {
            double allowed = excess + eras.allowance(era);
            int hashBits = eras.hashBits(era);
            long half = eras.capacity(era, parts.count() * charged.spread()) / 2;
            if (era == last || charged.expectedRoom(allowed, hashBits) > Math.min(least, half)) {
                return charged.room(allowed, hashBits);
            }
        }
    }

    private int latest(Version version, EntryBuffer active) {
        int era = active == null ? 0 : eras.eraOf(active.hashBits());
        for (FrozenBuffer frozen : version.frozen()) {
            era = Math.max(era, eras.eraOf(frozen.hashBits()));
        }
        for (FileSection file : version.files()) {
            era = Math.max(era, eras.eraOf(file.hashBits()));
        }
        return Math.max(0, era);
    }

    /**
     * The probability that an absent hash is reported, where it is greatest.
     *
     * @param hidden for each tombstone, entries that are not reported: {@link #HIDDEN}, or 0 to
     *     count what may be added again, because what was removed may be added without asking for
     *     room
     * @param own true for the entries that are not lax, false for those that are
     */
    private double used(Version version, EntryBuffer active, int hidden, boolean own) {
        return load(version, active, hidden, bits -> isOwn(bits) == own).greatest();
    }

    private KeyGroupLoad load(
            Version version, EntryBuffer active, int hidden, IntPredicate ofHashBits) {
        KeyGroupLoad load = new KeyGroupLoad(keyGroups, parts);
        if (active != null && ofHashBits.test(active.hashBits())) {
            load.add(active, hidden);
        }
        for (FrozenBuffer frozen : version.frozen()) {
            if (ofHashBits.test(frozen.hashBits())) {
                load.add(frozen.buffer(), hidden);
            }
        }
        for (FileSection file : version.files()) {
            if (ofHashBits.test(file.hashBits())) {
                load.add(file, hidden);
            }
        }
        return load;
    }

    private boolean isOwn(int hashBits) {
        return hashBits >= eras.hashBits(0);
    }

    /** The probability of an average key group, times their number. */
    static double used(FileSection file) {
        long reported = file.entries() - HIDDEN * file.tombstones();
        return Math.scalb((double) Math.max(0, reported), -file.hashBits());
    }
}
