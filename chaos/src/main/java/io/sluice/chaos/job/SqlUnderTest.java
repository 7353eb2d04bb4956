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

/** A query with {@code DEDUPLICATE}, whose flags Sluice's state backend keeps: each order once. */
final class SqlUnderTest extends OneInputJob {
    private static final String INPUT = "sql-orders";
    private static final String OUTPUT = "sql-orders-once";
    private static final String GROUP = "sluice-sql";
    private static final double FPP = 1e-5;

    /** Nothing is forgotten, so all times of an id are in one window. */
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    private static final String QUERY =
            """
            SET 'high-availability.type' = 'NONE';
            SET 'execution.checkpointing.interval' = '2 s';
            SET 'execution.checkpointing.incremental' = 'true';
            SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
            SET 'state.backend.cascade.false-positive-probability' = '%s';
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
            SELECT seq, id FROM DEDUPLICATE(input => TABLE orders PARTITION BY id);
            """;

    @Override
    public List<String> outputTopics() {
        return List.of(OUTPUT);
    }

    SqlUnderTest() {
        super("sql", INPUT, GROUP, false, SqlUnderTest::start);
    }

    private static String start(FlinkCluster cluster, Program.Start start)
            throws IOException, InterruptedException {
        String from =
                start.from()
                        .map(path -> "SET 'execution.state-recovery.path' = '" + path + "';")
                        .orElse("");
        return cluster.sql(
                QUERY.formatted(
                        FPP,
                        start.parallelism(),
                        from,
                        INPUT,
                        start.servers(),
                        GROUP,
                        OUTPUT,
                        start.servers()));
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OrderScript(INPUT, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FirstsCheck firsts = new FirstsCheck(FOR_EVER, FOR_EVER, FPP, false, verdict);
        readInput(topics, log, firsts::input);
        topics.read(OUTPUT, firsts::output);
        firsts.judge();
    }
}
