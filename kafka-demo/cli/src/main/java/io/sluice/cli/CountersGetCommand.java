/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.counters.StoredCounter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice counters get}. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Prints the last committed values of counters, or those in a checkpoint; exit code"
                        + " 1 if one is not there. Reads the whole topic, or all counters of the"
                        + " checkpoint.")
final class CountersGetCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "COUNTER",
            description = "Names of counters, as the keys of their topic are.")
    private List<String> names;

    @Mixin private CounterArguments where;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        Set<String> keys = new LinkedHashSet<>();
        names.forEach(name -> keys.add(StoredCounter.keyOf(name)));
        Map<String, StoredCounter> found = where.open(err).get(keys);
        List<StoredCounter> counters = new ArrayList<>();
        keys.stream().filter(found::containsKey).map(found::get).forEach(counters::add);
        where.print(counters, spec.commandLine().getOut());
        for (String name : new LinkedHashSet<>(names)) {
            if (!found.containsKey(StoredCounter.keyOf(name))) {
                err.printf("sluice: %s has no counter '%s'%n", where.place(), name);
            }
        }
        err.flush();
        return counters.size() == keys.size() ? Failures.OK : Failures.VERDICT_FAILED;
    }
}
