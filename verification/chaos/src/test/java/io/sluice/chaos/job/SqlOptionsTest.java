/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.CascadeBackendOptions;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class SqlOptionsTest {
    private static final int STARTS = 1000;

    @Test
    void areAFunctionOfTheSeed() {
        assertThat(starts(7)).isEqualTo(starts(7));
        assertThat(starts(7)).isNotEqualTo(starts(8));
    }

    /** An option that Flink does not know would change nothing, and nobody would be told. */
    @Test
    void eachIsAnOptionOfTheBackendOrOfCheckpoints() throws Exception {
        Set<String> known =
                Arrays.stream(CascadeBackendOptions.class.getFields())
                        .filter(field -> Modifier.isStatic(field.getModifiers()))
                        .map(SqlOptionsTest::key)
                        .collect(Collectors.toSet());
        known.add(CheckpointingOptions.INCREMENTAL_CHECKPOINTS.key());
        assertThat(starts(1)).allSatisfy(o -> assertThat(known).containsAll(o.backend().keySet()));
    }

    @Test
    void theDelegateChangesWithACanonicalSavepointOnly() {
        SplittableRandom choice = new SplittableRandom(1);
        SqlOptions first = SqlOptions.any(choice);
        assertThat(Stream.generate(() -> first.next(choice)).limit(100))
                .extracting(SqlOptions::delegate)
                .containsOnly(first.delegate());
        assertThat(starts(1)).extracting(SqlOptions::delegate).contains("rocksdb", "hashmap");
    }

    @Test
    void theProbabilityIsWhatItsOptionsSay() {
        assertThat(starts(1))
                .allSatisfy(
                        options -> {
                            String p = option(options, "false-positive-probability");
                            double said =
                                    p != null
                                            ? Double.parseDouble(p)
                                            : Double.parseDouble(
                                                            option(
                                                                    options,
                                                                    "max-false-drops-per-day"))
                                                    / Long.parseLong(
                                                            option(options, "new-keys-per-day"));
                            assertThat(said).isCloseTo(options.probability(), within());
                        });
    }

    @Test
    void aTimeToLiveComesAndGoes() {
        assertThat(starts(1))
                .extracting(SqlOptions::arguments)
                .contains("", ", state_ttl => INTERVAL '1' DAY")
                .anySatisfy(text -> assertThat(text).contains("reset_ttl_on_duplicate => FALSE"));
    }

    @Test
    void theCheckerAllowsForTheLargestProbabilityOfAllStarts() {
        SqlUnderTest.Query query = new SqlUnderTest.Query();
        SplittableRandom choice = new SplittableRandom(3);
        SplittableRandom same = new SplittableRandom(3);
        double largest = 0;
        for (int i = 0; i < 20; i++) {
            query.script(start(choice));
            SqlOptions options = SqlOptions.any(same);
            largest = Math.max(largest, options.probability());
            assertThat(query.largestProbability()).isEqualTo(largest);
        }
    }

    private static Program.Start start(SplittableRandom choice) {
        return new Program.Start("localhost:1", Optional.of("s"), true, 2, choice);
    }

    private static Percentage within() {
        return Percentage.withPercentage(1e-6);
    }

    private static String option(SqlOptions options, String name) {
        return options.backend().get("state.backend.cascade." + name);
    }

    private static String key(java.lang.reflect.Field field) {
        try {
            return ((ConfigOption<?>) field.get(null)).key();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static List<SqlOptions> starts(long seed) {
        SplittableRandom choice = new SplittableRandom(seed);
        return Stream.generate(() -> SqlOptions.any(choice)).limit(STARTS).toList();
    }
}
