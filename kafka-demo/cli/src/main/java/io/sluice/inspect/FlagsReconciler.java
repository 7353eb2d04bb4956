/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Compares a membership state in two checkpoints: merges the level files of both, one key group
 * after the other, in memory that does not depend on their size.
 */
final class FlagsReconciler {

    private final ComparedFlags a;
    private final ComparedFlags b;
    private final FlagsFacts ofA;
    private final FlagsFacts ofB;
    private final int hashBits;
    private final FlagsAgreement.Sum sum;

    private FlagsReconciler(ComparedFlags a, ComparedFlags b) {
        this.a = a;
        this.b = b;
        this.ofA = a.facts();
        this.ofB = b.facts();
        this.hashBits = Math.min(ofA.hashBits(), ofB.hashBits());
        this.sum = new FlagsAgreement.Sum(ofA.name(), hashBits);
    }

    /**
     * Compares all membership states of an operator, by name.
     *
     * @param problems is told what is damaged
     */
    static List<FlagsAgreement> compare(
            Map<String, ? extends ComparedFlags> a,
            Map<String, ? extends ComparedFlags> b,
            Consumer<Problem> problems)
            throws IOException {
        List<FlagsAgreement> compared = new ArrayList<>();
        Set<String> names = new TreeSet<>(a.keySet());
        names.addAll(b.keySet());
        for (String name : names) {
            ComparedFlags inA = a.get(name);
            ComparedFlags inB = b.get(name);
            String reason =
                    reasonToRefuse(
                            inA == null ? null : inA.facts(), inB == null ? null : inB.facts());
            if (reason != null) {
                compared.add(FlagsAgreement.refused(name, reason));
            } else {
                try (inA;
                        inB) {
                    compared.add(new FlagsReconciler(inA, inB).compare(problems));
                }
            }
        }
        return compared;
    }

    /** Why two states do not hold fingerprints of the same kind; null if they do. */
    @Nullable
    static String reasonToRefuse(@Nullable FlagsFacts a, @Nullable FlagsFacts b) {
        if (a == null || b == null) {
            return "is in filters only in " + (a == null ? "B" : "A");
        }
        if (!a.keys().equals(b.keys())) {
            return "fingerprints of keys " + a.keys() + " in A and " + b.keys() + " in B";
        }
        String namespaceA = a.namespaceScheme();
        String namespaceB = b.namespaceScheme();
        if (!namespaceA.equals(namespaceB)) {
            return "namespaces '" + namespaceA + "' in A and '" + namespaceB + "' in B";
        }
        Set<Integer> hashes = union(a.hashIds(), b.hashIds());
        if (hashes.size() > 1) {
            return "hash algorithms " + a.hashIds() + " in A and " + b.hashIds() + " in B";
        }
        Set<Integer> parts = union(a.partsOfKeyGroup(), b.partsOfKeyGroup());
        return parts.size() > 1
                ? "key groups are divided into "
                        + a.partsOfKeyGroup()
                        + " parts in A and "
                        + b.partsOfKeyGroup()
                        + " in B"
                : null;
    }

    private static Set<Integer> union(Set<Integer> some, Set<Integer> others) {
        Set<Integer> all = new TreeSet<>(some);
        all.addAll(others);
        return all;
    }

    private FlagsAgreement compare(Consumer<Problem> problems) throws IOException {
        Set<Integer> inA = ofA.keyGroups();
        Set<Integer> inB = ofB.keyGroups();
        List<Integer> missing = new ArrayList<>();
        for (int keyGroup : union(inA, inB)) {
            if (!inA.contains(keyGroup) || !inB.contains(keyGroup)) {
                missing.add(keyGroup);
                continue;
            }
            try {
                compare(keyGroup);
                sum.endOf(keyGroup);
            } catch (DamagedFileException e) {
                sum.dropLast();
                problems.accept(e.problem());
            }
        }
        return sum.result(otherOptions(), missing);
    }

    private void compare(int keyGroup) throws IOException {
        try (FlagsCursor inA = a.entries(keyGroup, hashBits, null);
                FlagsCursor inB = b.entries(keyGroup, hashBits, a)) {
            boolean hasA = inA.next();
            boolean hasB = inB.next();
            while (hasA || hasB) {
                boolean takesA = hasA && (!hasB || inA.entry() <= inB.entry());
                boolean takesB = hasB && (!hasA || inB.entry() <= inA.entry());
                if (takesA && takesB) {
                    sum.inBoth();
                } else if (takesA) {
                    sum.onlyInA(inA.bucketEnd(), ofB.hasExpired(keyGroup, inA.bucketEnd()));
                } else {
                    sum.onlyInB(inB.bucketEnd(), ofA.hasExpired(keyGroup, inB.bucketEnd()));
                }
                hasA = takesA ? inA.next() : hasA;
                hasB = takesB ? inB.next() : hasB;
            }
        }
    }

    private List<String> otherOptions() {
        List<String> options = new ArrayList<>();
        note(
                "falsePositiveProbability",
                ofA.falsePositiveProbability(),
                ofB.falsePositiveProbability(),
                options);
        note("timeToLiveMillis", ofA.timeToLiveMillis(), ofB.timeToLiveMillis(), options);
        return options;
    }

    private static void note(String option, Object ofA, Object ofB, List<String> to) {
        if (!ofA.equals(ofB)) {
            to.add(option + " is " + ofA + " in A and " + ofB + " in B");
        }
    }
}
