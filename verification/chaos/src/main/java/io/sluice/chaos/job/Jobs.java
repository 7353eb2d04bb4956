/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** All jobs by name. */
public final class Jobs {
    private static final Map<String, Supplier<ChaosJob>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("dedup", () -> new DedupUnderTest(DedupUnderTest.Ids.IN_MEMORY));
        ALL.put("on-disk", () -> new DedupUnderTest(DedupUnderTest.Ids.ON_DISK));
        ALL.put("forever", () -> new DedupUnderTest(DedupUnderTest.Ids.FOREVER));
        ALL.put("counters", CountersUnderTest::new);
        ALL.put("flows", FlowsUnderTest::new);
        ALL.put("reconcile", ReconcileUnderTest::new);
        ALL.put("sql", SqlUnderTest::new);
    }

    private Jobs() {}

    /**
     * The jobs with these names.
     *
     * @throws IllegalArgumentException if there is none of a name
     */
    public static List<ChaosJob> select(List<String> names) {
        List<ChaosJob> selected = new ArrayList<>();
        for (String name : names) {
            Supplier<ChaosJob> job = ALL.get(name.strip());
            if (job == null) {
                throw new IllegalArgumentException(
                        "--jobs has '"
                                + name
                                + "', which is not a job: write "
                                + String.join(", ", ALL.keySet()));
            }
            selected.add(job.get());
        }
        return selected;
    }
}
