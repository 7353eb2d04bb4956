/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.counter.StoredCounters;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.machine.StoredMachines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupHeader;
import io.sluice.inspect.StoredKeyGroups.KeyGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * Compares the state of the same job in two clusters, at any parallelism, key group by key group.
 * Operators are matched as Flink matches them, by the hash of their uid. Reads headers and samples
 * of seen sets, and all totals, machines and level files; holds one key group of totals and
 * machines of each side at a time, and some pages of each level file.
 */
@Internal
public final class StateReconciler {

    private final StoredCheckpoint a;
    private final StoredCheckpoint b;
    private final int maxListed;
    private final List<String> states;

    /** A file that several key groups need is named once. */
    private final Set<Problem> problems = new LinkedHashSet<>();

    private StateReconciler(
            StoredCheckpoint a, StoredCheckpoint b, int maxListed, List<String> states) {
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
    public static StateAgreement compare(StoredCheckpoint a, StoredCheckpoint b, int maxListed) {
        return compare(a, b, maxListed, List.of());
    }

    /**
     * As the other.
     *
     * @param states names of other keyed states of the job, of any operator, to be compared too
     */
    public static StateAgreement compare(
            StoredCheckpoint a, StoredCheckpoint b, int maxListed, List<String> states) {
        return new StateReconciler(a, b, maxListed, states).compare();
    }

    private StateAgreement compare() {
        Map<String, OperatorState> ofA = operators(a);
        Map<String, OperatorState> ofB = operators(b);
        List<OperatorAgreement> compared = new ArrayList<>();
        List<String> notCompared = new ArrayList<>();
        Set<String> hashes = new LinkedHashSet<>(ofA.keySet());
        hashes.addAll(ofB.keySet());
        for (String hash : hashes) {
            OperatorState inA = ofA.get(hash);
            OperatorState inB = ofB.get(hash);
            String title = title(inA != null ? inA : inB);
            try {
                OperatorAgreement agreement = withStates(title, compare(title, inA, inB), inA, inB);
                if (agreement != null) {
                    compared.add(agreement);
                } else {
                    notCompared.add(title);
                }
            } catch (IOException e) {
                compared.add(OperatorAgreement.refused(title, e.getMessage()));
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
                a.location().directory().toString(),
                b.location().directory().toString(),
                agree,
                compared,
                notCompared,
                List.copyOf(problems));
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
            @Nullable OperatorState inA,
            @Nullable OperatorState inB) {
        List<StateValuesAgreement> values = new ArrayList<>();
        for (String state : states) {
            try {
                StateValuesAgreement compared = compareState(state, inA, inB);
                if (compared != null) {
                    values.add(compared);
                }
            } catch (IOException e) {
                values.add(StateValuesAgreement.refused(state, e.getMessage()));
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
            String state, @Nullable OperatorState inA, @Nullable OperatorState inB)
            throws IOException {
        StoredKeyedState ofA = inA == null ? null : StoredKeyedState.of(inA, a.classLoader());
        StoredKeyedState ofB = inB == null ? null : StoredKeyedState.of(inB, b.classLoader());
        StateMetaInfoSnapshot describedA = ofA == null ? null : ofA.description(state);
        StateMetaInfoSnapshot describedB = ofB == null ? null : ofB.description(state);
        if (describedA == null && describedB == null) {
            return null;
        }
        String reason = reasonToRefuse(inA, inB, describedA, describedB);
        return reason == null
                ? compareValues(state, ofA, ofB)
                : StateValuesAgreement.refused(state, reason);
    }

    private StateValuesAgreement compareValues(
            String state, StoredKeyedState ofA, StoredKeyedState ofB) throws IOException {
        ValuesAgreement.Sum<String> sum = new ValuesAgreement.Sum<>(maxListed);
        Set<Integer> keyGroups = new TreeSet<>(ofA.keyGroups());
        keyGroups.addAll(ofB.keyGroups());
        for (int keyGroup : keyGroups) {
            sum.add(
                    keyGroup,
                    StoredValues.of(ofA, state, keyGroup),
                    StoredValues.of(ofB, state, keyGroup));
        }
        return new StateValuesAgreement(state, null, sum.result());
    }

    /** Why a keyed state is not written alike on both sides; null if it is. */
    @Nullable
    private static String reasonToRefuse(
            @Nullable OperatorState inA,
            @Nullable OperatorState inB,
            @Nullable StateMetaInfoSnapshot describedA,
            @Nullable StateMetaInfoSnapshot describedB) {
        if (describedA == null || describedB == null || inA == null || inB == null) {
            return "is only in " + (describedA == null ? "B" : "A");
        }
        if (inA.getMaxParallelism() != inB.getMaxParallelism()) {
            return "maximum parallelism "
                    + inA.getMaxParallelism()
                    + " in A and "
                    + inB.getMaxParallelism()
                    + " in B: they have different key groups";
        }
        String writtenA = writtenBy(describedA);
        String writtenB = writtenBy(describedB);
        return writtenA.equals(writtenB) ? null : writtenA + " in A and " + writtenB + " in B";
    }

    private static String writtenBy(StateMetaInfoSnapshot described) {
        return described.getOption(CommonOptionsKeys.KEYED_STATE_TYPE)
                + " written by "
                + described
                        .getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER)
                        .getClass()
                        .getName();
    }

    /** Compares an operator; null if its state is not Sluice's. */
    @Nullable
    private OperatorAgreement compare(
            String title, @Nullable OperatorState inA, @Nullable OperatorState inB)
            throws IOException {
        StoredKeyGroups groupsA = inA == null ? null : StoredKeyGroups.of(inA);
        StoredKeyGroups groupsB = inB == null ? null : StoredKeyGroups.of(inB);
        Map<String, StoredFlags> flagsA = flags(inA, a);
        Map<String, StoredFlags> flagsB = flags(inB, b);
        boolean isOurs =
                (groupsA != null && !groupsA.numbers().isEmpty())
                        || (groupsB != null && !groupsB.numbers().isEmpty())
                        || !flagsA.isEmpty()
                        || !flagsB.isEmpty();
        if (!isOurs) {
            return null;
        }
        if (groupsA == null || groupsB == null) {
            return OperatorAgreement.refused(title, "is only in " + (groupsA == null ? "B" : "A"));
        }
        if (inA.getMaxParallelism() != inB.getMaxParallelism()) {
            return OperatorAgreement.refused(
                    title,
                    "maximum parallelism "
                            + inA.getMaxParallelism()
                            + " in A and "
                            + inB.getMaxParallelism()
                            + " in B: they have different key groups");
        }
        if (!groupsA.numbers().equals(groupsB.numbers())) {
            return OperatorAgreement.refused(
                    title,
                    groupsA.numbers().size()
                            + " key groups in A and "
                            + groupsB.numbers().size()
                            + " in B: subtasks had ended in one of them");
        }
        boolean hasFlags = !flagsA.isEmpty() || !flagsB.isEmpty();
        OperatorAgreement agreement =
                new OfOperator(title, inA, inB, groupsA, groupsB, hasFlags).compare();
        return agreement.refused() != null
                ? agreement
                : agreement.with(FlagsReconciler.compare(flagsA, flagsB, problems::add));
    }

    private Map<String, StoredFlags> flags(@Nullable OperatorState in, StoredCheckpoint of)
            throws IOException {
        return in == null ? Map.of() : StoredFlags.of(in, of.classLoader(), problems::add);
    }

    private final class OfOperator {
        private final String title;
        private final OperatorState inA;
        private final OperatorState inB;
        private final StoredKeyGroups groupsA;
        private final StoredKeyGroups groupsB;
        private final Set<String> otherOptions = new LinkedHashSet<>();
        private final SeenAgreement.Sum seen = new SeenAgreement.Sum();
        private final ValuesAgreement.Sum<Long> totals = new ValuesAgreement.Sum<>(maxListed);
        private final ValuesAgreement.Sum<String> machines = new ValuesAgreement.Sum<>(maxListed);
        private final boolean hasFlags;
        private boolean hasSeen;

        OfOperator(
                String title,
                OperatorState inA,
                OperatorState inB,
                StoredKeyGroups groupsA,
                StoredKeyGroups groupsB,
                boolean hasFlags) {
            this.title = title;
            this.hasFlags = hasFlags;
            this.inA = inA;
            this.inB = inB;
            this.groupsA = groupsA;
            this.groupsB = groupsB;
        }

        OperatorAgreement compare() throws IOException {
            boolean hasTotals = false;
            boolean hasMachines = false;
            for (int keyGroup : groupsA.numbers()) {
                KeyGroup ofA = groupsA.read(keyGroup, problems::add);
                KeyGroup ofB = groupsB.read(keyGroup, problems::add);
                if (ofA == null || ofB == null) {
                    continue;
                }
                String reason = reasonToRefuse(keyGroup, ofA, ofB);
                if (reason != null) {
                    return OperatorAgreement.refused(title, reason);
                }
                String layout = ofA.header().layout();
                hasTotals |= StoredCounters.areIn(layout);
                hasSeen |= StoredDeduplicator.isIn(layout);
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
                compareTotals();
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

        private void compareTotals() throws IOException {
            StoredKeyedState ofA = StoredKeyedState.of(inA, a.classLoader());
            StoredKeyedState ofB = StoredKeyedState.of(inB, b.classLoader());
            for (int keyGroup : groupsA.numbers()) {
                totals.add(
                        keyGroup,
                        StoredValues.totals(ofA, keyGroup),
                        StoredValues.totals(ofB, keyGroup));
            }
        }

        /** Compares the machines of a key group, or says why they cannot be compared. */
        @Nullable
        private String compareMachines(int keyGroup, KeyGroup ofA, KeyGroup ofB) {
            if (StoredMachines.store(ofA.header().layout()) == StoreKind.KBF) {
                return "its filters cannot list what they hold: the stores EXACT and FINGERPRINTS"
                        + " can";
            }
            StoredMachines inA = orEmpty(ofA.machines(), ofB.machines());
            StoredMachines inB = orEmpty(ofB.machines(), ofA.machines());
            if (inA.ids() != inB.ids()) {
                return inA.ids()
                        + " fingerprints in A and "
                        + inB.ids()
                        + " in B: expecting or errorProbability differ";
            }
            machines.add(keyGroup, byId(inA), byId(inB));
            return null;
        }

        private static StoredMachines orEmpty(
                @Nullable StoredMachines machines, @Nullable StoredMachines other) {
            return machines != null
                    ? machines
                    : new StoredMachines(other == null ? 0 : other.ids(), Map.of());
        }

        private static Map<String, String> byId(StoredMachines machines) {
            Map<String, String> byId = new HashMap<>();
            machines.states().forEach((id, state) -> byId.put(String.format("%016x", id), state));
            return byId;
        }

        private void compareSeen(int keyGroup, KeyGroup ofA, KeyGroup ofB) {
            boolean isSeenSet = ofA.deduplicator() != null || ofB.deduplicator() != null;
            if (!isSeenSet) {
                return;
            }
            hasSeen = true;
            if (ofA.deduplicator() != null && ofB.deduplicator() != null) {
                note(ofA.deduplicator().filter().options(), ofB.deduplicator().filter().options());
            }
            SampledIds idsA = SampledIds.of(ofA.deduplicator());
            SampledIds idsB = SampledIds.of(ofB.deduplicator());
            SeenAgreement.KeyGroup group = SampledIds.compare(keyGroup, idsA, idsB);
            if (group != null) {
                seen.add(group);
            } else {
                seen.addWithoutSample(keyGroup, idsA.ids(), idsB.ids());
            }
        }

        private void note(WindowOptions ofA, WindowOptions ofB) {
            note("windowMillis", ofA.windowMillis(), ofB.windowMillis());
            note("falsePositiveProbability", ofA.fpp(), ofB.fpp());
            note("maxFalsePositiveProbability", ofA.maxFpp(), ofB.maxFpp());
            note("onOverflow", ofA.overflow(), ofB.overflow());
        }

        private void note(String option, Object ofA, Object ofB) {
            if (!ofA.equals(ofB)) {
                otherOptions.add(option + " is " + ofA + " in A and " + ofB + " in B");
            }
        }
    }

    /** Why two key groups are not about the same ids; null if they are. */
    @Nullable
    static String reasonToRefuse(int keyGroup, KeyGroup ofA, KeyGroup ofB) throws IOException {
        KeyGroupHeader inA = ofA.header();
        KeyGroupHeader inB = ofB.header();
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
