/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** State in memory, of which every part may differ from another's. */
record MadeUpState(String location, Map<String, ComparedOperator> operators)
        implements ComparedState {

    static final String COUNTERS = "engine=counters with filter, of a test";
    static final String MACHINES = "machines, store=EXACT, of a test";

    /** An operator with some key groups. */
    static final class Operator implements ComparedOperator {
        private final String title;
        final Map<Integer, ComparedKeyGroup> groups = new TreeMap<>();
        final Map<Integer, Map<String, String>> machines = new TreeMap<>();
        final Map<Integer, Map<String, Long>> totals = new TreeMap<>();
        final Map<String, ComparedFlags> flags = new LinkedHashMap<>();
        final Map<String, ComparedValues> values = new LinkedHashMap<>();

        /** A key group that is damaged; -1 if none is. */
        int damaged = -1;

        int maxParallelism = 128;

        Operator(String title) {
            this.title = title;
        }

        static ComparedKeyGroup facts(String layout) {
            return new ComparedKeyGroup(
                    layout, new byte[] {1, 2, 3}, Map.of("windowMillis", "1000"), null, null);
        }

        @Override
        public String title() {
            return title;
        }

        @Override
        public int maxParallelism() {
            return maxParallelism;
        }

        @Override
        public Set<Integer> keyGroups() {
            return groups.keySet();
        }

        @Override
        @Nullable
        public ComparedKeyGroup keyGroup(
                int keyGroup, @Nullable ComparedKeyGroup ofOther, Consumer<Problem> problems) {
            if (keyGroup == damaged) {
                problems.accept(new Problem("a file", 7L, "is damaged"));
                return null;
            }
            return groups.get(keyGroup);
        }

        @Override
        public Map<String, String> machines(int keyGroup, Map<String, String> ofOther) {
            return machines.getOrDefault(keyGroup, Map.of());
        }

        @Override
        public Map<String, Long> totals(int keyGroup, Map<String, Long> ofOther) {
            return totals.getOrDefault(keyGroup, Map.of());
        }

        @Override
        public Map<String, ComparedFlags> flags(Consumer<Problem> problems) {
            return flags;
        }

        @Override
        @Nullable
        public ComparedValues values(String state) {
            return values.get(state);
        }
    }

    /** A keyed state. */
    record Values(String writtenBy, Map<Integer, Map<String, String>> values)
            implements ComparedValues {
        @Override
        public Set<Integer> keyGroups() {
            return values.keySet();
        }

        @Override
        public Map<String, String> of(int keyGroup, Map<String, String> ofOther) {
            return values.getOrDefault(keyGroup, Map.of());
        }
    }

    /** A membership state: for each key group, entries and until when they are marked. */
    record Flags(String name, Map<Integer, TreeMap<Long, Long>> entries) implements ComparedFlags {
        @Override
        public FlagsFacts facts() {
            TreeMap<Integer, Long> expired = new TreeMap<>();
            entries.keySet().forEach(keyGroup -> expired.put(keyGroup, 500L));
            return new FlagsFacts(
                    name,
                    1e-6,
                    1000,
                    "void",
                    "keys",
                    40,
                    new TreeSet<>(Set.of(1)),
                    new TreeSet<>(Set.of(1)),
                    expired);
        }

        @Override
        public FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther) {
            List<Map.Entry<Long, Long>> all = new ArrayList<>(entries.get(keyGroup).entrySet());
            return new FlagsCursor() {
                private int at = -1;

                @Override
                public boolean next() {
                    return ++at < all.size();
                }

                @Override
                public long entry() {
                    return all.get(at).getKey();
                }

                @Override
                public long bucketEnd() {
                    return all.get(at).getValue();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }
}
