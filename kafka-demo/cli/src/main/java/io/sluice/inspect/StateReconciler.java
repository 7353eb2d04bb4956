/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.StoredCounters;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.machine.StoredMachines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.inspect.StoredKeyGroups.KeyGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.OperatorState;

/**
 * Compares the state of the same job in two clusters, at any parallelism, key group by key group.
 * Operators are matched as Flink matches them, by the hash of their uid. Reads headers and samples
 * of seen sets, and all totals, machines and level files; holds one key group of totals and
 * machines of each side at a time, and some pages of each level file.
 */
@Internal
public final class StateReconciler {

    private final ComparedState a;
    private final ComparedState b;
    private final int maxListed;
    private final List<String> states;

    /** A file that several key groups need is named once. */
    private final Set<Problem> problems = new LinkedHashSet<>();

    private StateReconciler(ComparedState a, ComparedState b, int maxListed, List<String> states) {
        this.a = a;
        this.b = b;
        this.maxListed = maxListed;
        this.states = states;
    }

    /**
     * Compares; what cannot be read is among the problems of the result.
     *
     * @param maxListed the most counters of an operator that are listed one by one
     */
    public static StateAgreement compare(StoredCheckpoint a, StoredCheckpoint b, int maxListed)
            throws IOException {
        return compare(a, b, maxListed, List.of());
    }

    /**
     * As the other.
     *
     * @param states names of other keyed states of the job, of any operator, to be compared too
     */
    public static StateAgreement compare(
            StoredCheckpoint a, StoredCheckpoint b, int maxListed, List<String> states)
            throws IOException {
        return compare(new StoredState(a), new StoredState(b), maxListed, states);
    }

    /**
     * Compares states, wherever they are.
     *
     * @throws IOException if the operators of one cannot be told
     */
    static StateAgreement compare(
            ComparedState a, ComparedState b, int maxListed, List<String> states)
            throws IOException {
        return new StateReconciler(a, b, maxListed, states).compare();
    }

    private StateAgreement compare() throws IOException {
        Map<String, ComparedOperator> ofA = a.operators();
        Map<String, ComparedOperator> ofB = b.operators();
        List<OperatorAgreement> compared = new ArrayList<>();
        List<String> notCompared = new ArrayList<>();
        Set<String> hashes = new LinkedHashSet<>(ofA.keySet());
        hashes.addAll(ofB.keySet());
        for (String hash : hashes) {
            ComparedOperator inA = ofA.get(hash);
            ComparedOperator inB = ofB.get(hash);
            String title = (inA != null ? inA : inB).title();
            try {
                OperatorAgreement agreement = withStates(title, compare(title, inA, inB), inA, inB);
                if (agreement != null) {
                    compared.add(agreement);
                } else {
                    notCompared.add(title);
                }
            } catch (IOException e) {
                compared.add(OperatorAgreement.unreadable(title, e));
            }
        }
        Set<String> missing = new LinkedHashSet<>(states);
        compared.forEach(
                operator -> operator.states().forEach(state -> missing.remove(state.state())));
        missing.forEach(
                state ->
                        problems.add(
                                new Problem(
                                        "state " + state,
                                        null,
                                        "no operator has a keyed state of this name, as far as"
                                                + " keyed state could be read")));
        boolean agree =
                problems.isEmpty()
                        && !compared.isEmpty()
                        && compared.stream().allMatch(OperatorAgreement::agrees);
        return new StateAgreement(
                StateAgreement.VERSION,
                a.location(),
                b.location(),
                agree,
                compared,
                notCompared,
                List.copyOf(problems),
                null);
    }

    static Map<String, OperatorState> operators(StoredCheckpoint checkpoint) {
        Map<String, OperatorState> operators = new LinkedHashMap<>();
        for (OperatorState operator : checkpoint.metadata().getOperatorStates()) {
            operators.put(operator.getOperatorID().toHexString(), operator);
        }
        return operators;
    }

    static String title(OperatorState operator) {
        return operator.getOperatorUid()
                .or(operator::getOperatorName)
                .orElse(operator.getOperatorID().toHexString());
    }

    /** Adds the states that were asked for; null if the operator has neither these nor ours. */
    @Nullable
    private OperatorAgreement withStates(
            String title,
            @Nullable OperatorAgreement agreement,
            @Nullable ComparedOperator inA,
            @Nullable ComparedOperator inB) {
        List<StateValuesAgreement> values = new ArrayList<>();
        for (String state : states) {
            try {
                StateValuesAgreement compared = compareState(state, inA, inB);
                if (compared != null) {
                    values.add(compared);
                }
            } catch (IOException e) {
                values.add(StateValuesAgreement.refused(state, Problem.text(e)));
            }
        }
        if (values.isEmpty()) {
            return agreement;
        }
        OperatorAgreement base =
                agreement != null ? agreement : OperatorAgreement.withoutOurs(title);
        return base.withStates(values);
    }

    /** Compares a keyed state by its name; null if the operator has none of this name. */
    @Nullable
    private StateValuesAgreement compareState(
            String state, @Nullable ComparedOperator inA, @Nullable ComparedOperator inB)
            throws IOException {
        ComparedValues ofA = inA == null ? null : inA.values(state);
        ComparedValues ofB = inB == null ? null : inB.values(state);
        if (ofA == null && ofB == null) {
            return null;
        }
        String reason = reasonToRefuse(inA, inB, ofA, ofB);
        return reason == null
                ? compareValues(state, ofA, ofB)
                : StateValuesAgreement.refused(state, reason);
    }

    private StateValuesAgreement compareValues(String state, ComparedValues ofA, ComparedValues ofB)
            throws IOException {
        ValuesAgreement.Sum<String> sum = new ValuesAgreement.Sum<>(maxListed);
        Set<Integer> keyGroups = new TreeSet<>(ofA.keyGroups());
        keyGroups.addAll(ofB.keyGroups());
        for (int keyGroup : keyGroups) {
            Map<String, String> inA = ofA.of(keyGroup, Map.of());
            sum.add(keyGroup, inA, ofB.of(keyGroup, inA));
        }
        return new StateValuesAgreement(state, null, sum.result());
    }

    /** Why a keyed state is not written alike on both sides; null if it is. */
    @Nullable
    private static String reasonToRefuse(
            @Nullable ComparedOperator inA,
            @Nullable ComparedOperator inB,
            @Nullable ComparedValues ofA,
            @Nullable ComparedValues ofB) {
        if (ofA == null || ofB == null || inA == null || inB == null) {
            return "is only in " + (ofA == null ? "B" : "A");
        }
        if (inA.maxParallelism() != inB.maxParallelism()) {
            return otherKeyGroups(inA, inB);
        }
        return ofA.writtenBy().equals(ofB.writtenBy())
                ? null
                : ofA.writtenBy() + " in A and " + ofB.writtenBy() + " in B";
    }

    private static String otherKeyGroups(ComparedOperator inA, ComparedOperator inB) {
        return "maximum parallelism "
                + inA.maxParallelism()
                + " in A and "
                + inB.maxParallelism()
                + " in B: they have different key groups";
    }

    /** Compares an operator; null if its state is not Sluice's. */
    @Nullable
    private OperatorAgreement compare(
            String title, @Nullable ComparedOperator inA, @Nullable ComparedOperator inB)
            throws IOException {
        Set<Integer> groupsA = inA == null ? null : inA.keyGroups();
        Set<Integer> groupsB = inB == null ? null : inB.keyGroups();
        Map<String, ComparedFlags> flagsA = flags(inA);
        Map<String, ComparedFlags> flagsB = flags(inB);
        boolean isOurs =
                (groupsA != null && !groupsA.isEmpty())
                        || (groupsB != null && !groupsB.isEmpty())
                        || !flagsA.isEmpty()
                        || !flagsB.isEmpty();
        if (!isOurs) {
            return null;
        }
        if (groupsA == null || groupsB == null) {
            return OperatorAgreement.refused(title, "is only in " + (groupsA == null ? "B" : "A"));
        }
        if (inA.maxParallelism() != inB.maxParallelism()) {
            return OperatorAgreement.refused(title, otherKeyGroups(inA, inB));
        }
        if (!groupsA.equals(groupsB)) {
            return OperatorAgreement.refused(
                    title,
                    groupsA.size()
                            + " key groups in A and "
                            + groupsB.size()
                            + " in B: subtasks had ended in one of them");
        }
        boolean hasFlags = !flagsA.isEmpty() || !flagsB.isEmpty();
        OperatorAgreement agreement = new OfOperator(title, inA, inB, groupsA, hasFlags).compare();
        return agreement.refused() != null
                ? agreement
                : agreement.with(FlagsReconciler.compare(flagsA, flagsB, problems::add));
    }

    private Map<String, ComparedFlags> flags(@Nullable ComparedOperator in) throws IOException {
        return in == null ? Map.of() : in.flags(problems::add);
    }

    private final class OfOperator {
        private final String title;
        private final ComparedOperator inA;
        private final ComparedOperator inB;
        private final Set<Integer> keyGroups;
        private final Set<String> otherOptions = new LinkedHashSet<>();
        private final SeenAgreement.Sum seen = new SeenAgreement.Sum();
        private final ValuesAgreement.Sum<Long> totals = new ValuesAgreement.Sum<>(maxListed);
        private final ValuesAgreement.Sum<String> machines = new ValuesAgreement.Sum<>(maxListed);
        private final boolean hasFlags;
        private boolean hasSeen;

        OfOperator(
                String title,
                ComparedOperator inA,
                ComparedOperator inB,
                Set<Integer> keyGroups,
                boolean hasFlags) {
            this.title = title;
            this.inA = inA;
            this.inB = inB;
            this.keyGroups = keyGroups;
            this.hasFlags = hasFlags;
        }

        OperatorAgreement compare() throws IOException {
            boolean hasTotals = false;
            boolean hasMachines = false;
            for (int keyGroup : keyGroups) {
                ComparedKeyGroup ofA = inA.keyGroup(keyGroup, null, problems::add);
                ComparedKeyGroup ofB = inB.keyGroup(keyGroup, ofA, problems::add);
                if (ofA == null || ofB == null) {
                    continue;
                }
                String reason = reasonToRefuse(keyGroup, ofA, ofB);
                if (reason != null) {
                    return OperatorAgreement.refused(title, reason);
                }
                String layout = ofA.layout();
                hasTotals |= StoredCounters.areIn(layout);
                hasSeen |= StoredDeduplicator.isIn(layout);
                hasSeen |= StoredCounters.haveOperationsIn(layout);
                hasMachines |= KeyGroup.hasMachines(layout);
                if (!hasTotals && !hasSeen && !hasMachines && !hasFlags) {
                    return OperatorAgreement.refused(
                            title,
                            "'"
                                    + layout
                                    + "' has no totals, no machines, and no seen set in filters");
                }
                if (hasMachines) {
                    String why = compareMachines(keyGroup, ofA, ofB);
                    if (why != null) {
                        return OperatorAgreement.refused(title, why);
                    }
                }
                compareSeen(keyGroup, ofA, ofB);
            }
            if (hasTotals) {
                for (int keyGroup : keyGroups) {
                    Map<String, Long> ofA = inA.totals(keyGroup, Map.of());
                    totals.add(keyGroup, ofA, inB.totals(keyGroup, ofA));
                }
            }
            return new OperatorAgreement(
                    title,
                    null,
                    List.copyOf(otherOptions),
                    hasTotals ? totals.result() : null,
                    hasMachines ? machines.result() : null,
                    hasSeen ? seen.result() : null,
                    List.of(),
                    List.of());
        }

        /** Compares the machines of a key group, or says why they cannot be compared. */
        @Nullable
        private String compareMachines(int keyGroup, ComparedKeyGroup ofA, ComparedKeyGroup ofB)
                throws IOException {
            if (StoredMachines.store(ofA.layout()) == StoreKind.KBF) {
                return "its filters cannot list what they hold: the stores EXACT and FINGERPRINTS"
                        + " can";
            }
            Long idsA = ofA.machineIds();
            Long idsB = ofB.machineIds();
            if (idsA != null && idsB != null && !idsA.equals(idsB)) {
                return idsA
                        + " fingerprints in A and "
                        + idsB
                        + " in B: expecting or errorProbability differ";
            }
            Map<String, String> statesA = inA.machines(keyGroup, Map.of());
            machines.add(keyGroup, statesA, inB.machines(keyGroup, statesA));
            return null;
        }

        private void compareSeen(int keyGroup, ComparedKeyGroup ofA, ComparedKeyGroup ofB) {
            if (ofA.seen() == null && ofB.seen() == null) {
                return;
            }
            hasSeen = true;
            if (ofA.seen() != null && ofB.seen() != null) {
                ofA.options()
                        .forEach((option, value) -> note(option, value, ofB.options().get(option)));
            }
            SampledIds idsA = ofA.seen() == null ? SampledIds.of(null) : ofA.seen();
            SampledIds idsB = ofB.seen() == null ? SampledIds.of(null) : ofB.seen();
            SeenAgreement.KeyGroup group = SampledIds.compare(keyGroup, idsA, idsB);
            if (group != null) {
                seen.add(group);
            } else {
                seen.addWithoutSample(keyGroup, idsA.ids(), idsB.ids());
            }
        }

        private void note(String option, String ofA, @Nullable String ofB) {
            if (!ofA.equals(ofB)) {
                otherOptions.add(option + " is " + ofA + " in A and " + ofB + " in B");
            }
        }
    }

    /** Why two key groups are not about the same ids; null if they are. */
    @Nullable
    static String reasonToRefuse(int keyGroup, KeyGroup ofA, KeyGroup ofB) throws IOException {
        return reasonToRefuse(keyGroup, ComparedKeyGroup.of(ofA), ComparedKeyGroup.of(ofB));
    }

    /** Why two key groups are not about the same ids; null if they are. */
    @Nullable
    private static String reasonToRefuse(int keyGroup, ComparedKeyGroup inA, ComparedKeyGroup inB)
            throws IOException {
        if (!inA.layout().equals(inB.layout())) {
            return "'" + inA.layout() + "' in A and '" + inB.layout() + "' in B";
        }
        if (!Arrays.equals(inA.identity(), inB.identity())) {
            String source = "key group " + keyGroup;
            List<String> typesA = IdsIdentity.typeNames(inA.identity(), source);
            List<String> typesB = IdsIdentity.typeNames(inB.identity(), source);
            return typesA.equals(typesB)
                    ? "ids are hashed in two ways: hashSeed or the serializer of "
                            + typesA
                            + " differs"
                    : "ids of " + typesA + " in A and of " + typesB + " in B";
        }
        return null;
    }
}
