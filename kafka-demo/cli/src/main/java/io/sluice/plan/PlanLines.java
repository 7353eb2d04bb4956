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
        out.add("window", "%s", HumanReadable.duration(plan.windowMillis()));
        out.add(
                "probability",
                "%s, at most %s under pressure; %s false drops a day",
                HumanReadable.number(plan.falsePositiveProbability()),
                HumanReadable.number(plan.maxFalsePositiveProbability()),
                HumanReadable.number(plan.falseDropsPerDay()));
        out.add("parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        out.add(
                "memory",
                "%s a subtask, %s needed%s",
                HumanReadable.bytes((double) plan.memoryBytes()),
                HumanReadable.bytes((double) plan.neededBytes()),
                plan.fits() ? "" : ": DOES NOT FIT");
        if (!plan.fits()) {
            out.add(
                    "",
                    "In event time Deduplicate keeps these ids on disk (see --engine cascade). In"
                            + " processing time, and with an option that is only for memory, the"
                            + " oldest are forgotten early");
        }
        out.add(
                "",
                "%s in all, %.2f bytes an id (%s)",
                HumanReadable.bytes(plan.totalBytes()),
                plan.bytesPerId(),
                plan.layout());
        if (plan.fits() && !plan.madeAtOnce()) {
            out.add(
                    "",
                    "filters begin small; from %s on they begin at full size",
                    HumanReadable.bytes(2.0 * plan.neededBytes()));
        }
        out.add(
                "checkpoint",
                "%s, in full each time",
                HumanReadable.bytes((double) plan.checkpointBytes()));
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
                        : "for " + HumanReadable.duration(plan.timeToLiveMillis()));
        out.add(
                "probability",
                "%s%s",
                HumanReadable.number(plan.falsePositiveProbability()),
                plan.falseDropsPerDay() == null
                        ? ""
                        : "; "
                                + HumanReadable.number(plan.falseDropsPerDay())
                                + " false drops a day");
        out.add("parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        out.add(
                "local disk",
                "%s a subtask, %s during a merge; %.1f bits a key",
                HumanReadable.bytes(plan.diskBytes()),
                HumanReadable.bytes(plan.maxDiskBytes()),
                plan.bitsPerKey());
        out.add(
                "managed memory",
                "%s a slot%s; overviews of %d bits a key take %s",
                HumanReadable.bytes((double) plan.managedBytes()),
                plan.fits() ? "" : ": NOT ENOUGH for full overviews",
                plan.overviewBitsPerKey(),
                HumanReadable.bytes((double) plan.overviewBytes()));
        out.add(
                "",
                "below %s there is no overview",
                HumanReadable.bytes((double) plan.minManagedBytes()));
        out.add("checkpoint", "%s in full", HumanReadable.bytes(plan.checkpointBytes()));
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
