/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.FirstsCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.process.FlinkCluster;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.OrderScript;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import javax.annotation.Nullable;

/** A query with {@code DEDUPLICATE}, whose flags Sluice's state backend keeps: each order once. */
final class SqlUnderTest extends OneInputJob {
    private static final String INPUT = "sql-orders";
    private static final String OUTPUT = "sql-orders-once";
    private static final String GROUP = "sluice-sql";

    /** Nothing is forgotten, so all times of an id are in one window. */
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    private static final String QUERY =
            """
            SET 'high-availability.type' = 'NONE';
            SET 'execution.checkpointing.interval' = '2 s';
            SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
            %s
            SET 'parallelism.default' = '%d';
            %s
            LOAD MODULE sluice;
            CREATE TABLE orders (seq BIGINT, id STRING) WITH (
              'connector' = 'kafka', 'topic' = '%s', 'format' = 'json',
              'properties.bootstrap.servers' = '%s', 'properties.group.id' = '%s',
              'properties.isolation.level' = 'read_committed',
              'scan.startup.mode' = 'earliest-offset');
            CREATE TABLE passed (seq BIGINT, id STRING) WITH (
              'connector' = 'kafka', 'topic' = '%s', 'format' = 'json',
              'properties.bootstrap.servers' = '%s', 'properties.transaction.timeout.ms' = '900000',
              'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'sql');
            INSERT INTO passed
            SELECT seq, id FROM DEDUPLICATE(input => TABLE orders PARTITION BY id%s);
            """;

    private final Query query;

    @Override
    public List<String> outputTopics() {
        return List.of(OUTPUT);
    }

    SqlUnderTest() {
        this(new Query());
    }

    private SqlUnderTest(Query query) {
        super("sql", INPUT, GROUP, false, query);
        this.query = query;
    }

    /** The query, each of whose starts may have other options. */
    static final class Query implements Program {
        private @Nullable SqlOptions options;
        private double largestProbability;

        @Override
        public String start(FlinkCluster cluster, Start start)
                throws IOException, InterruptedException {
            return cluster.sql(script(start));
        }

        String script(Start start) {
            options =
                    options == null || start.isCanonical()
                            ? SqlOptions.any(start.choice())
                            : options.next(start.choice());
            largestProbability = Math.max(largestProbability, options.probability());
            String from =
                    start.from()
                            .map(path -> "SET 'execution.state-recovery.path' = '" + path + "';")
                            .orElse("");
            return QUERY.formatted(
                    options.settings(),
                    start.parallelism(),
                    from,
                    INPUT,
                    start.servers(),
                    GROUP,
                    OUTPUT,
                    start.servers(),
                    options.arguments());
        }

        /** What was in force when fingerprints were made is in force until they are gone. */
        double largestProbability() {
            return largestProbability;
        }
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OrderScript(INPUT, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FirstsCheck firsts =
                new FirstsCheck(FOR_EVER, FOR_EVER, query.largestProbability(), false, verdict);
        readInput(topics, log, firsts::input);
        topics.read(OUTPUT, firsts::output);
        firsts.judge();
    }
}
