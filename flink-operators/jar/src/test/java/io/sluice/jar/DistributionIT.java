/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The jar in a distribution of Flink, with a JobManager, a TaskManager and the SQL client as
 * processes: a query deduplicates, is stopped with a native savepoint, and goes on from it.
 */
class DistributionIT {

    private static final int FIRST = 100;
    private static final int SECOND = 150;

    private static final Pattern JOB = Pattern.compile("Job ID: ([0-9a-f]{32})");
    private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed. Path: (\\S+)");
    private static final Pattern PRINTED = Pattern.compile("\\+I\\[(\\d+), \\d+]");

    private enum Place {
        LIB,
        /** Its classes are loaded by the class loader of the job, child-first. */
        JOB
    }

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(Place.class)
    void aQueryGoesOnFromItsSavepoint(Place place) throws Exception {
        List<Path> jar = List.of(OneJar.path());
        List<Path> ofTheJob = place == Place.JOB ? jar : List.of();
        try (Distribution flink =
                Distribution.assemble(
                        directory.resolve("flink"), place == Place.LIB ? jar : List.of())) {
            flink.startCluster();
            String job = match(JOB, flink.sql(ofTheJob, query(FIRST, "")));
            flink.until("the first ids", () -> ids(flink).size() >= FIRST);
            String savepoint = match(SAVEPOINT, flink.flink("stop", "--type", "native", job));
            assertThat(flink.printed())
                    .contains("State 'sluice_seen' is approximate: it is kept in a filter");

            flink.sql(
                    ofTheJob,
                    query(SECOND, "SET 'execution.state-recovery.path' = '" + savepoint + "';"));
            flink.until("the other ids", () -> ids(flink).size() >= SECOND);
            assertThat(ids(flink))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, SECOND).mapToObj(Integer::toString).toList());
        }
    }

    /** Any ids from 0 to {@code distinct}, without end. */
    private static String query(int distinct, String settings) {
        return """
        SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
        SET 'execution.checkpointing.incremental' = 'true';
        %s
        LOAD MODULE sluice;
        CREATE TABLE orders (order_id BIGINT, n BIGINT) WITH (
          'connector' = 'datagen', 'rows-per-second' = '1000',
          'fields.order_id.min' = '0', 'fields.order_id.max' = '%d', 'fields.n.min' = '0');
        CREATE TABLE passed (order_id BIGINT, n BIGINT) WITH ('connector' = 'print');
        INSERT INTO passed
        SELECT * FROM DEDUPLICATE(input => TABLE orders PARTITION BY order_id);
        """
                .formatted(settings, distinct - 1);
    }

    private static List<String> ids(Distribution flink) throws IOException {
        return PRINTED.matcher(flink.printed())
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    private static String match(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }
}
