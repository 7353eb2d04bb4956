/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.plan.CascadePlan;
import io.sluice.plan.WindowPlan;
import java.io.PrintWriter;
import java.util.Locale;

/** Plans as text. */
final class PlanText {
    private PlanText() {}

    static void print(WindowPlan plan, PrintWriter out) {
        line(out, "stream", "%,d new ids/s", plan.idsPerSecond());
        line(out, "window", "%s", Spoken.duration(plan.windowMillis()));
        line(
                out,
                "probability",
                "%.3g, at most %.3g under pressure; %,.3g false drops a day",
                plan.falsePositiveProbability(),
                plan.maxFalsePositiveProbability(),
                plan.falseDropsPerDay());
        line(out, "parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        line(
                out,
                "memory",
                "%s a subtask, %s needed%s",
                Spoken.bytes((double) plan.memoryBytes()),
                Spoken.bytes((double) plan.neededBytes()),
                plan.fits() ? "" : ": DOES NOT FIT, the oldest ids are forgotten early");
        line(
                out,
                "",
                "%s in all, %.2f bytes an id (%s)",
                Spoken.bytes(plan.totalBytes()),
                plan.bytesPerId(),
                plan.layout());
        if (plan.fits() && !plan.madeAtOnce()) {
            line(
                    out,
                    "",
                    "filters begin small; from %s on they begin at full size",
                    Spoken.bytes(2.0 * plan.neededBytes()));
        }
        line(
                out,
                "checkpoint",
                "%s, in full each time",
                Spoken.bytes((double) plan.checkpointBytes()));
        line(out, "cores", "%.2f at %.0f ns a record", plan.cores(), plan.coreNanosPerRecord());
        line(out, "options", "%s", String.join(" ", plan.options()));
    }

    static void print(CascadePlan plan, PrintWriter out) {
        line(out, "keys", "%,d", plan.keys());
        line(
                out,
                "kept",
                "%s",
                plan.timeToLiveMillis() == null
                        ? "for ever"
                        : "for " + Spoken.duration(plan.timeToLiveMillis()));
        line(
                out,
                "probability",
                "%.3g%s",
                plan.falsePositiveProbability(),
                plan.falseDropsPerDay() == null
                        ? ""
                        : String.format(
                                Locale.ROOT, "; %,.3g false drops a day", plan.falseDropsPerDay()));
        line(out, "parallelism", "%d of %d key groups", plan.parallelism(), plan.maxParallelism());
        line(
                out,
                "local disk",
                "%s a subtask, %s during a merge; %.1f bits a key",
                Spoken.bytes(plan.diskBytes()),
                Spoken.bytes(plan.maxDiskBytes()),
                plan.bitsPerKey());
        line(
                out,
                "managed memory",
                "%s a slot%s; overviews of %d bits a key take %s",
                Spoken.bytes((double) plan.managedBytes()),
                plan.fits() ? "" : ": NOT ENOUGH for full overviews",
                plan.overviewBitsPerKey(),
                Spoken.bytes((double) plan.overviewBytes()));
        line(
                out,
                "",
                "below %s there is no overview",
                Spoken.bytes((double) plan.minManagedBytes()));
        line(out, "checkpoint", "%s in full", Spoken.bytes(plan.checkpointBytes()));
        if (plan.cores() != null) {
            line(out, "cores", "%.2f at %.0f ns a record", plan.cores(), plan.coreNanosPerRecord());
        }
        plan.options().forEach(option -> line(out, "option", "%s", option));
    }

    private static void line(PrintWriter out, String name, String format, Object... values) {
        out.printf("%-15s %s%n", name, String.format(Locale.ROOT, format, values));
    }
}
