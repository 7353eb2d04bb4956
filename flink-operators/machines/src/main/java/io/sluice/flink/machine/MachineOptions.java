/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.Nouns;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.WhenFull;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of {@link Machines} as Flink configuration; {@link Machines#configure} takes them,
 * and {@link WindowedOptions#TIME_DOMAIN} and {@link WindowedOptions#HASH_SEED} too.
 */
@Experimental
public final class MachineOptions {

    static final Nouns NOUNS = new Nouns("event", "machine");

    static final StoreOptions STORES = StoreOptions.of("sluice.machines", NOUNS);

    public static final ConfigOption<StoreKind> STORE = STORES.store();

    public static final ConfigOption<List<Kind>> EMIT =
            ConfigOptions.key("sluice.machines.emit")
                    .enumType(Kind.class)
                    .asList()
                    .defaultValues(Kind.OUTPUT, Kind.FINISHED, Kind.TIMED_OUT, Kind.OPEN)
                    .withDescription("What is reported: kinds of reports.");

    public static final ConfigOption<Double> ERROR_PROBABILITY = STORES.errorProbability();

    public static final ConfigOption<Integer> SLICES = STORES.slices();

    public static final ConfigOption<Long> EXPECTING = STORES.expecting();

    public static final ConfigOption<Double> BITS_PER_MACHINE = STORES.bits();

    public static final ConfigOption<MemorySize> MEMORY = STORES.memory();

    public static final ConfigOption<Duration> MAX_FUTURE = STORES.maxFuture();

    public static final ConfigOption<WhenFull> WHEN_FULL = STORES.whenFull();

    /** All that the builder takes. */
    public static final List<ConfigOption<?>> ALL =
            Stream.concat(
                            STORES.all().stream(),
                            Stream.<ConfigOption<?>>of(
                                    EMIT, WindowedOptions.TIME_DOMAIN, WindowedOptions.HASH_SEED))
                    .toList();

    private MachineOptions() {}
}
