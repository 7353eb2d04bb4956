/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import io.sluice.plan.Plan.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Plans as text. */
final class PlanLines {
    private final List<Line> lines = new ArrayList<>();

    private PlanLines() {}

    static List<Line> of(WindowPlan plan) {
        PlanLines out = new PlanLines();
        out.add("stream", "%,d new ids/s", plan.idsPerSecond());
        out.add("window", "%s", Spoken.duration(plan.windowMillis()));
        out.add(
                "probability",
                "%s, at most %s under pressure; %s false drops a day",
                Spoken.number(plan.falsePositiveProbability()),
                Spoken.number(plan.maxFalsePositiveProbability()),
                Spoken.number(plan.falseDropsPerDay()));
        out.add("parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        out.add(
                "memory",
                "%s a subtask, %s needed%s",
                Spoken.bytes((double) plan.memoryBytes()),
                Spoken.bytes((double) plan.neededBytes()),
                plan.fits() ? "" : ": DOES NOT FIT, the oldest ids are forgotten early");
        out.add(
                "",
                "%s in all, %.2f bytes an id (%s)",
                Spoken.bytes(plan.totalBytes()),
                plan.bytesPerId(),
                plan.layout());
        if (plan.fits() && !plan.madeAtOnce()) {
            out.add(
                    "",
                    "filters begin small; from %s on they begin at full size",
                    Spoken.bytes(2.0 * plan.neededBytes()));
        }
        out.add(
                "checkpoint",
                "%s, in full each time",
                Spoken.bytes((double) plan.checkpointBytes()));
        out.add("cores", "%.2f at %.0f ns a record", plan.cores(), plan.coreNanosPerRecord());
        out.add("options", "%s", String.join(" ", plan.options()));
        return out.lines;
    }

    static List<Line> of(CascadePlan plan) {
        PlanLines out = new PlanLines();
        out.add("keys", "%,d", plan.keys());
        out.add(
                "kept",
                "%s",
                plan.timeToLiveMillis() == null
                        ? "for ever"
                        : "for " + Spoken.duration(plan.timeToLiveMillis()));
        out.add(
                "probability",
                "%s%s",
                Spoken.number(plan.falsePositiveProbability()),
                plan.falseDropsPerDay() == null
                        ? ""
                        : "; " + Spoken.number(plan.falseDropsPerDay()) + " false drops a day");
        out.add("parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        out.add(
                "local disk",
                "%s a subtask, %s during a merge; %.1f bits a key",
                Spoken.bytes(plan.diskBytes()),
                Spoken.bytes(plan.maxDiskBytes()),
                plan.bitsPerKey());
        out.add(
                "managed memory",
                "%s a slot%s; overviews of %d bits a key take %s",
                Spoken.bytes((double) plan.managedBytes()),
                plan.fits() ? "" : ": NOT ENOUGH for full overviews",
                plan.overviewBitsPerKey(),
                Spoken.bytes((double) plan.overviewBytes()));
        out.add("", "below %s there is no overview", Spoken.bytes((double) plan.minManagedBytes()));
        out.add("checkpoint", "%s in full", Spoken.bytes(plan.checkpointBytes()));
        if (plan.cores() != null) {
            out.add("cores", "%.2f at %.0f ns a record", plan.cores(), plan.coreNanosPerRecord());
        }
        plan.options().forEach(option -> out.add("option", "%s", option));
        return out.lines;
    }

    private void add(String name, String format, Object... values) {
        lines.add(new Line(name, String.format(Locale.ROOT, format, values)));
    }
}
