/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * In what two checkpoints differ. Operators are matched as Flink matches them, by the hash of their
 * uid; states by their names.
 *
 * @param version of the JSON form
 * @param before path of the first
 * @param after path of the second
 * @param same whether there is no difference
 * @param changes all differences
 */
@Internal
public record Comparison(
        int version, String before, String after, boolean same, List<Change> changes) {

    private static final int VERSION = 1;

    public Comparison {
        changes = List.copyOf(changes);
    }

    /** Kinds of differences. */
    public enum Kind {
        OPERATOR_ADDED,
        OPERATOR_REMOVED,
        STATE_ADDED,
        STATE_REMOVED,
        CHANGED
    }

    /**
     * A difference.
     *
     * @param operator its uid, name or hash; null if it is of the whole
     * @param state null if it is not of a state
     * @param what differs; null if the whole operator or state does
     * @param before a number or text; null if there was none
     * @param after a number or text; null if there is none
     */
    public record Change(
            Kind kind,
            @Nullable String operator,
            @Nullable String state,
            @Nullable String what,
            @Nullable Object before,
            @Nullable Object after) {}

    /** Compares. */
    public static Comparison of(Inspection before, Inspection after) {
        List<Change> changes = new ArrayList<>();
        compare(null, null, facts(before), facts(after), changes);
        Map<String, OperatorReport> was = byKey(before.operators(), OperatorReport::hash);
        Map<String, OperatorReport> is = byKey(after.operators(), OperatorReport::hash);
        for (String hash : union(was.keySet(), is.keySet())) {
            compare(was.get(hash), is.get(hash), changes);
        }
        return new Comparison(VERSION, before.path(), after.path(), changes.isEmpty(), changes);
    }

    private static void compare(
            @Nullable OperatorReport was, @Nullable OperatorReport is, List<Change> changes) {
        if (was == null && is != null) {
            changes.add(new Change(Kind.OPERATOR_ADDED, is.title(), null, null, null, is.bytes()));
        } else if (was != null && is == null) {
            changes.add(
                    new Change(Kind.OPERATOR_REMOVED, was.title(), null, null, was.bytes(), null));
        } else if (was != null) {
            compare(is.title(), null, facts(was), facts(is), changes);
            Map<String, StateReport> states = byKey(was.states(), Comparison::key);
            Map<String, StateReport> now = byKey(is.states(), Comparison::key);
            for (String key : union(states.keySet(), now.keySet())) {
                compare(is.title(), states.get(key), now.get(key), changes);
            }
        }
    }

    private static void compare(
            String operator,
            @Nullable StateReport was,
            @Nullable StateReport is,
            List<Change> changes) {
        if (was == null && is != null) {
            changes.add(new Change(Kind.STATE_ADDED, operator, is.state(), null, null, is.bytes()));
        } else if (was != null && is == null) {
            changes.add(
                    new Change(Kind.STATE_REMOVED, operator, was.state(), null, was.bytes(), null));
        } else if (was != null) {
            compare(operator, was.state(), was.facts(), is.facts(), changes);
        }
    }

    private static void compare(
            @Nullable String operator,
            @Nullable String state,
            Map<String, Object> was,
            Map<String, Object> is,
            List<Change> changes) {
        for (String what : union(was.keySet(), is.keySet())) {
            if (!Objects.equals(was.get(what), is.get(what))) {
                changes.add(
                        new Change(
                                Kind.CHANGED, operator, state, what, was.get(what), is.get(what)));
            }
        }
    }

    /** A state of a cascade and one of another engine with the same name are not the same. */
    private static String key(StateReport state) {
        return state instanceof OtherReport ? "other " + state.state() : state.state();
    }

    private static Map<String, Object> facts(Inspection of) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("kind", of.kind());
        facts.put("checkpointId", of.checkpointId());
        facts.put("bytes", of.bytes());
        facts.put("files", of.files());
        return facts;
    }

    private static Map<String, Object> facts(OperatorReport of) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", of.name());
        facts.put("parallelism", of.parallelism());
        facts.put("maxParallelism", of.maxParallelism());
        facts.put("finished", of.finished());
        facts.put("bytes", of.bytes());
        return facts;
    }

    private static <T> Map<String, T> byKey(List<T> all, Function<T, String> key) {
        Map<String, T> map = new LinkedHashMap<>();
        all.forEach(each -> map.putIfAbsent(key.apply(each), each));
        return map;
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new LinkedHashSet<>(some);
        all.addAll(others);
        return all;
    }
}
