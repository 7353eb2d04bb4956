/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.flink.dedup.Keep;
import io.sluice.job.FilterArguments;
import io.sluice.job.OperatorArgument;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The options that say which records of an id pass. */
final class RuleArguments {
    static final String WITHIN = FilterArguments.WITHIN;
    static final String FOREVER = "--forever";
    static final String ON_DISK = "--on-disk";

    private static final List<OperatorArgument<?>> OWN =
            List.of(
                    OperatorArgument.of(WITHIN, "DURATION", WindowedOptions.WITHIN, Duration.class)
                            .withNote("Either this or --forever is required."),
                    OperatorArgument.of(FOREVER, DeduplicateOptions.FOREVER)
                            .withNote(
                                    "The ids are in filters on the local disk, at --fpp. There is"
                                            + " room for 1e18 times --fpp ids; beyond, the oldest"
                                            + " are forgotten. --memory is then that of one"
                                            + " subtask outside the heap."),
                    OperatorArgument.of(ON_DISK, DeduplicateOptions.ON_DISK)
                            .withNote(
                                    "--forever includes it. --memory is then that of one subtask"
                                            + " outside the heap. With --time processing, time in"
                                            + " which the job is down counts."),
                    OperatorArgument.of("--keep", "WHICH", DeduplicateOptions.KEEP, Keep.class)
                            .withNote(
                                    "The last is held in exact state, in RocksDB unless Flink is"
                                            + " configured with another backend."),
                    OperatorArgument.of("--limit", "N", DeduplicateOptions.LIMIT, Integer.class)
                            .withNote("--expecting is then that of all that pass."),
                    OperatorArgument.of(
                            "--reset-on-duplicate", DeduplicateOptions.RESET_ON_DUPLICATE),
                    OperatorArgument.of("--verify", DeduplicateOptions.VERIFY));

    /** These, and those of the filters. */
    static final List<OperatorArgument<?>> ALL =
            Stream.concat(OWN.stream(), FilterArguments.ALL.stream()).toList();

    private RuleArguments() {}
}
