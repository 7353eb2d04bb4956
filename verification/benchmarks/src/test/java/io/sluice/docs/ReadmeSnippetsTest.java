/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.docs.Given.Order;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.reconcile.WindowReport;
import io.sluice.inspect.CascadeReport;
import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.Inspection;
import io.sluice.inspect.Inspector;
import io.sluice.inspect.OperatorReport;
import io.sluice.inspect.StoredCheckpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.Table;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the README and the pages that it names say to write does what they say: the text is theirs.
 */
class ReadmeSnippetsTest {

    @TempDir Path folder;

    /** Its tasks find the classes of the snippet as those of a user's jar. */
    private StreamExecutionEnvironment environment() throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.CLASSPATHS, List.of(folder.toUri().toURL().toString()));
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    }

    @Test
    @SuppressWarnings("unchecked")
    void aDataStreamJobLetsEachOrderPassOnce() throws Exception {
        Given snippet =
                Snippet.ofReadme("### A DataStream job", "java", "Deduplicate")
                        .compile(folder, "once");
        snippet.in(environment());
        DataStream<Order> once = (DataStream<Order>) run(snippet);
        assertThat(collected(once)).extracting(Order::id).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    @SuppressWarnings("unchecked")
    void aCounterCountsEachOperationOnce() throws Exception {
        Given snippet =
                Snippet.below(
                                Path.of("docs/datastream.md"),
                                "## Counting what happened once",
                                "java",
                                "IdempotentCounters")
                        .compile(folder, "views");
        snippet.in(environment());
        DataStream<CounterValue<String>> views = (DataStream<CounterValue<String>>) run(snippet);
        Map<String, Long> last =
                collected(views).stream()
                        .collect(
                                Collectors.toMap(
                                        CounterValue::counter, CounterValue::value, Math::max));
        assertThat(last).containsExactly(Map.entry("home", 2L));
    }

    @Test
    @SuppressWarnings("unchecked")
    void aReplicaReportsOnEachWindow() throws Exception {
        Given snippet =
                Snippet.below(
                                Path.of("docs/replicas.md"),
                                "# Two replicas agree",
                                "java",
                                "Reconcile")
                        .compile(folder, "clicks.reports()");
        StreamExecutionEnvironment here = environment();
        here.enableCheckpointing(100);
        snippet.in(here);
        assertThat(collected((DataStream<WindowReport>) run(snippet)))
                .isNotEmpty()
                .allSatisfy(report -> assertThat(report.window()).isZero());
    }

    @Test
    void aTableIsDeduplicatedByTheOperator() throws Exception {
        Given snippet =
                Snippet.below(
                                Path.of("docs/datastream.md"),
                                "## From and to tables",
                                "java",
                                "toDataStream")
                        .compile(folder, "deduplicated");
        snippet.in(environment());
        Table deduplicated = (Table) run(snippet);
        assertThat(collected(snippet.tableEnv.toDataStream(deduplicated)))
                .containsExactlyInAnyOrder(Row.of("a", 1), Row.of("b", 2));
    }

    @Test
    void aTableIsDeduplicatedByOneQuery() throws Exception {
        Given given =
                new Given() {
                    @Override
                    public Object run() {
                        throw new UnsupportedOperationException("the snippet is no Java");
                    }
                };
        given.in(StreamExecutionEnvironment.getExecutionEnvironment());
        String[] statements =
                Snippet.ofReadme("### A SQL table", "sql", "LOAD MODULE").code().split(";");
        assertThat(statements).hasSize(2);

        given.tableEnv.executeSql(statements[0]);
        List<Row> rows = new ArrayList<>();
        CloseableIterator<Row> results = given.tableEnv.executeSql(statements[1]).collect();
        results.forEachRemaining(rows::add);
        results.close();
        assertThat(rows).containsExactlyInAnyOrder(Row.of("a", 1), Row.of("b", 2));
    }

    @Test
    void aPlainProgramAsksOnce() throws Exception {
        Given snippet =
                Snippet.below(
                                Path.of("docs/library.md"),
                                "## Have I seen this id?",
                                "java",
                                "SeenWithin")
                        .compile(folder, "first && !seen.add(id, timestamp)");
        snippet.timestamp = System.currentTimeMillis();
        assertThat(run(snippet)).isEqualTo(true);
    }

    @Test
    void flagsOfAJobMoveIntoFilters() throws Exception {
        String yaml = Snippet.ofReadme("### Flags in RocksDB", "yaml", "state.backend.type").code();
        Configuration configuration = new Configuration();
        for (String line : yaml.lines().toList()) {
            String[] parts = line.replaceFirst("#.*", "").split(":", 2);
            configuration.setString(parts[0].strip(), parts[1].strip());
        }
        assertThat(configuration.get(StateBackendOptions.STATE_BACKEND)).contains("io.sluice");
        StreamExecutionEnvironment flags =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        flags.fromSequence(0, Long.MAX_VALUE)
                .map(number -> "id" + number % 1_000, Types.STRING)
                .keyBy(word -> word)
                .process(new Once())
                .uid("once")
                .sinkTo(new DiscardingSink<>());
        String savepoint = stopped(flags.executeAsync());

        Inspection inspection =
                Inspector.inspect(
                        StoredCheckpoint.load(
                                CheckpointLocation.find(savepoint), getClass().getClassLoader()));
        assertThat(inspection.operators())
                .filteredOn(operator -> "once".equals(operator.uid()))
                .flatExtracting(OperatorReport::states)
                .filteredOn(state -> state.state().equals("seen"))
                .singleElement()
                .isInstanceOfSatisfying(
                        CascadeReport.class,
                        state -> assertThat(state.entries()).isBetween(1L, 1_000L));
    }

    @Test
    void aSnippetOfAnotherSectionIsNotTaken() {
        assertThatThrownBy(
                        () ->
                                Snippet.ofReadme(
                                        "### A DataStream job", "yaml", "state.backend.type"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("A DataStream job");
    }

    /** Stops a job, which may still be starting, with a savepoint. */
    private String stopped(JobClient job) throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (true) {
            try {
                return job.stopWithSavepoint(
                                false, folder.toUri().toString(), SavepointFormatType.NATIVE)
                        .get();
            } catch (ExecutionException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** A job as users have it, with a flag in a value state. */
    private static final class Once extends KeyedProcessFunction<String, String, String> {
        private static final long serialVersionUID = 1;
        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        }

        @Override
        public void processElement(String word, Context context, Collector<String> out)
                throws Exception {
            if (seen.value() == null) {
                seen.update(true);
                out.collect(word);
            }
        }
    }

    /** Runs a snippet where Flink looks for the classes of a program. */
    private static Object run(Given snippet) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(snippet.getClass().getClassLoader());
        try {
            return snippet.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static <T> List<T> collected(DataStream<T> stream) throws Exception {
        List<T> all = new ArrayList<>();
        CloseableIterator<T> values = stream.executeAndCollect();
        values.forEachRemaining(all::add);
        values.close();
        return all;
    }
}
