/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.jmh.TimedOperation;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.papers.figure.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FiltersCommandTest {
    /** A peer with fewer is full now and then, a few keys before it should be. */
    private static final int SLOTS = 16_384;

    @TempDir Path directory;

    private static int run(String... arguments) throws Exception {
        FiltersCommand command = new FiltersCommand();
        List<String> all = new ArrayList<>(List.of("--forks", "0"));
        all.addAll(List.of(arguments));
        new CommandLine(command).parseArgs(all.toArray(String[]::new));
        return command.call();
    }

    private Map<String, Double> figures() throws Exception {
        JsonNode json = new ObjectMapper().readTree(directory.resolve("filters.json").toFile());
        Map<String, Double> figures = new HashMap<>();
        json.path("figures")
                .forEach(f -> figures.put(f.path("name").asText(), f.path("value").asDouble()));
        return figures;
    }

    @Test
    void everyKindLeavesEveryFigureARowAndABar() throws Exception {
        assertThat(
                        run(
                                "--quick",
                                "--slots",
                                "" + SLOTS,
                                "--rounds",
                                "1",
                                "--out",
                                directory.toString()))
                .isZero();
        Map<String, Double> figures = figures();
        Table table = Table.parse(Files.readAllLines(directory.resolve("filters.csv")));
        List<Peer> all = Peers.named(Set.of());
        assertThat(table.size()).isEqualTo(all.size() + 1);
        String page = Files.readString(directory.resolve("filters.html"));
        for (int i = 0; i < all.size(); i++) {
            Peer peer = all.get(i);
            String prefix = "filters." + peer.id() + ".";
            for (TimedOperation operation : TimedOperation.values()) {
                boolean can = operation != TimedOperation.REMOVE || peer.removes();
                for (String unit : List.of(".mops", ".ratioToLimit")) {
                    String name = prefix + operation.word() + unit;
                    assertThat(figures.containsKey(name)).as(name).isEqualTo(can);
                    assertThat(figures.getOrDefault(name, 1.0)).as(name).isPositive();
                }
                assertThat(table.text(i + 1, operation.word() + "_mops").isEmpty()).isEqualTo(!can);
            }
            assertThat(figures.get(prefix + "fpp")).isBetween(0.0, 0.05);
            assertThat(figures.get(prefix + "bitsPerKey")).isBetween(8.0, 1000.0);
            assertThat(page).contains("\"" + peer.name() + "\"");
        }
        assertThat(figures)
                .containsKeys("filters.oneLine.insert.mops", "filters.oneLine.remove.mops");
        assertThat(figures.get("qf.addIfAbsent.ratioToCuckoofilter4j")).isPositive();
        assertThat(figures.get("qf.addIfAbsent.ratioToCommonsCountingBloom")).isPositive();
    }

    @Test
    void someKindsAloneAreMeasuredOnRequest() throws Exception {
        assertThat(
                        run(
                                "--slots",
                                "4096",
                                "--rounds",
                                "2",
                                "--only",
                                "countingCuckoo12OffHeap,fastutilSet",
                                "--out",
                                directory.toString()))
                .isZero();
        assertThat(Table.parse(Files.readAllLines(directory.resolve("filters.csv"))).size())
                .isEqualTo(3);
        assertThat(figures()).containsKey("filters.fastutilSet.remove.mops");
    }

    @Test
    void badOptionsNameTheirBounds() {
        assertThatThrownBy(() -> run("--slots", "1000", "--out", directory.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--slots")
                .hasMessageContaining("1000");
        assertThatThrownBy(() -> run("--rounds", "0", "--out", directory.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--rounds");
    }

    @Test
    void theLargeFormNeedsTheHeapForIt() {
        assertThat(FiltersCommand.defaultSlots(false, 6L << 30)).isEqualTo(1 << 26);
        assertThat(FiltersCommand.defaultSlots(false, 2L << 30)).isEqualTo(1 << 24);
        assertThat(FiltersCommand.defaultSlots(true, 6L << 30)).isLessThan(1 << 24);
    }
}
