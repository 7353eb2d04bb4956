/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process of the only TaskManager is killed in the middle of a query, and another one goes on
 * from the last checkpoint: files that were committed have each row exactly once.
 */
class KilledTaskManagerIT {

    private static final int KEYS = 2000;

    /** Numbers, one each millisecond of event time; each key comes three times. */
    private static final int NUMBERS = 3 * KEYS;

    private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d+)");

    /** The checkpoint from which on there are rows in state and in files. */
    private static final int SOME = 5;

    @TempDir Path directory;

    /** What each table gets; in one job, as processes are slow to start. */
    private static final Map<String, String> CALLS =
            Map.of(
                    "by_arrival",
                    "DEDUPLICATE(input => TABLE numbers PARTITION BY id)",
                    "in_time",
                    "DEDUPLICATE_KEEP_FIRST(input => TABLE numbers PARTITION BY id, on_time =>"
                            + " DESCRIPTOR(ts))",
                    "in_windows",
                    "DEDUPLICATE_WINDOW(input => TABLE numbers PARTITION BY id, on_time =>"
                            + " DESCRIPTOR(ts), duration => INTERVAL '1' HOUR)");

    @Test
    void eachKeyComesOutOnce() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        try (Distribution flink =
                Distribution.assemble(directory.resolve("flink"), List.of(OneJar.path()))) {
            flink.startCluster();
            CompletableFuture<String> query =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return flink.sql(List.of(), queries(files));
                                } catch (Exception e) {
                                    throw new CompletionException(e);
                                }
                            });
            flink.until(
                    "checkpoints",
                    () -> query.isDone() || hasCheckpoint(directory.resolve("flink/checkpoints")));
            assertThat(query).as("the query, before the kill").isNotDone();
            flink.replaceTaskManager();
            query.get(6, TimeUnit.MINUTES);
            List<String> once = LongStream.range(0, KEYS).mapToObj(Long::toString).toList();
            for (String table : CALLS.keySet()) {
                assertThat(ids(files.resolve(table)))
                        .as(table)
                        .containsExactlyInAnyOrderElementsOf(once);
            }
        }
    }

    private static String queries(Path files) {
        StringBuilder tables = new StringBuilder();
        StringBuilder inserts = new StringBuilder();
        CALLS.forEach(
                (table, call) -> {
                    tables.append(
                            """
                            CREATE TABLE %s (id BIGINT) WITH (
                              'connector' = 'filesystem', 'path' = '%s', 'format' = 'json');
                            """
                                    .formatted(table, files.resolve(table).toUri()));
                    inserts.append("INSERT INTO %s SELECT id FROM %s;\n".formatted(table, call));
                });
        return """
        SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
        SET 'execution.checkpointing.incremental' = 'true';
        SET 'execution.checkpointing.interval' = '300 ms';
        SET 'table.dml-sync' = 'true';
        LOAD MODULE sluice;
        CREATE TABLE sequence (n BIGINT, ts AS TO_TIMESTAMP_LTZ(n, 3), WATERMARK FOR ts AS ts) WITH (
          'connector' = 'datagen', 'rows-per-second' = '400',
          'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '%d');
        CREATE TEMPORARY VIEW numbers AS SELECT MOD(n, %d) AS id, n, ts FROM sequence;
        %sEXECUTE STATEMENT SET BEGIN
        %sEND;
        """
                .formatted(NUMBERS - 1, KEYS, tables, inserts);
    }

    private static boolean hasCheckpoint(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return false;
        }
        try (Stream<Path> all = Files.walk(checkpoints)) {
            return all.filter(path -> path.endsWith("_metadata"))
                    .map(path -> CHECKPOINT.matcher(path.getParent().getFileName().toString()))
                    .anyMatch(name -> name.matches() && Integer.parseInt(name.group(1)) >= SOME);
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                // Flink has deleted it in between; the caller looks again.
                return false;
            }
            throw e;
        }
    }

    /** What is in committed files; the others are hidden. */
    private static List<String> ids(Path files) throws IOException {
        try (Stream<Path> all = Files.list(files)) {
            return all.filter(path -> !path.getFileName().toString().startsWith("."))
                    .flatMap(KilledTaskManagerIT::lines)
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
