/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.Main;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code bench jmh}: JMH's own command line, with the class path set up. */
@Command(
        name = "jmh",
        description = {
            "One structure at a time in its own process. All arguments go to JMH: -l lists the"
                    + " benchmarks, -h explains the options."
        })
public final class JmhCommand implements Callable<Integer> {
    @Unmatched private final List<String> arguments = new ArrayList<>();

    /** JMH ends the process with 1 if its arguments are wrong. */
    @Override
    public Integer call() throws IOException {
        Main.main(arguments.toArray(String[]::new));
        return 0;
    }
}
