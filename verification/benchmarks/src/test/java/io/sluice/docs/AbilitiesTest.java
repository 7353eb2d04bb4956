/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.WindowedBuilder;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.sql.SluiceModule;
import io.sluice.state.CascadeBackendOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.types.inference.StaticArgument;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The page that says which door has which ability: what it names is there, and all is named. */
class AbilitiesTest {
    private static final Path PAGE = Path.of("../../docs/abilities.md");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    /** Options of the job that say where records are and what the job is, not which pass. */
    private static final Set<String> ENDS =
            Set.of(
                    "--bootstrap-servers",
                    "--command-config",
                    "--kafka-property",
                    "--output-bootstrap-servers",
                    "--output-command-config",
                    "--output-kafka-property",
                    "--input-topic",
                    "--input-topic-pattern",
                    "--discovery-interval",
                    "--output-topic",
                    "--duplicates-topic",
                    "--conflicts-topic",
                    "--late-topic",
                    "--dead-letter-topic",
                    "--partitioning",
                    "--id",
                    "--time-unit",
                    "--time-zone",
                    "--schema-registry",
                    "--schema-registry-config",
                    "--out-of-orderness",
                    "--idleness",
                    "--max-drift",
                    "--checkpoint-interval",
                    "--parallelism",
                    "--transaction-timeout",
                    "--on-lost-commit",
                    "--accept-new-topic",
                    "--tombstones",
                    "--strict",
                    "--transactional-id-prefix",
                    "--group",
                    "--from",
                    "--seen-from-output",
                    "--delivery",
                    "--peer-bootstrap",
                    "--peer-command-config",
                    "--agree-groups",
                    "--agree-method",
                    "--agree-prefix",
                    "--agree-ttl",
                    "--agree-window",
                    "--resume-within",
                    "--retry-after",
                    "--bounded",
                    "--help",
                    "--version");

    @Test
    void aDoorWithoutAnAbilitySaysWhy() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(15);
        for (List<String> row : rows()) {
            assertThat(row).hasSize(5);
            for (String cell : row.subList(1, 5)) {
                assertThat(cell).matches("(`[^`]+`(, )?)+|no: .+");
            }
        }
    }

    @Test
    void theBuilderHasWhatIsNamedAndNothingElse() throws IOException {
        Set<String> options = new TreeSet<>();
        for (Class<?> builder : List.of(Deduplicate.class, WindowedBuilder.class)) {
            for (Method method : builder.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && !method.isSynthetic()
                        && WindowedBuilder.class.isAssignableFrom(method.getReturnType())
                        && !method.getName().equals("configure")) {
                    options.add(method.getName());
                }
            }
        }
        assertThat(named(1)).isEqualTo(options);
    }

    @Test
    void theFunctionsAndTheBackendHaveWhatIsNamed() throws Exception {
        SluiceModule module = new SluiceModule();
        Set<String> known = new TreeSet<>(module.listFunctions());
        for (String function : module.listFunctions()) {
            module
                    .getFunctionDefinition(function)
                    .orElseThrow()
                    .getTypeInference(null)
                    .getStaticArguments()
                    .orElseThrow()
                    .stream()
                    .map(StaticArgument::getName)
                    .forEach(known::add);
        }
        // Flink's own argument of each process table function.
        known.addAll(List.of("uid", "on_time"));
        known.addAll(keys(CascadeBackendOptions.class));
        assertThat(known).containsAll(named(2));
    }

    @Test
    void theJobHasWhatIsNamedAndNothingElseThatDecides() throws IOException {
        Set<String> options = new TreeSet<>();
        for (OptionSpec option : new CommandLine(new DedupOptions()).getCommandSpec().options()) {
            options.add(option.longestName());
        }
        options.removeAll(ENDS);
        assertThat(named(3)).isEqualTo(options);
    }

    @Test
    void theConfigurationHasWhatIsNamedAndNothingElse() throws Exception {
        Set<String> keys = new TreeSet<>(keys(DeduplicateOptions.class));
        keys.addAll(keys(WindowedOptions.class));
        assertThat(named(4)).isEqualTo(keys);
    }

    private static Set<String> keys(Class<?> options) throws IllegalAccessException {
        Set<String> keys = new TreeSet<>();
        for (Field field : options.getFields()) {
            if (field.getType() == ConfigOption.class) {
                keys.add(((ConfigOption<?>) field.get(null)).key());
            }
        }
        return keys;
    }

    /** What the cells of a column name, but for those that say no. */
    private static Set<String> named(int column) throws IOException {
        Set<String> names = new TreeSet<>();
        for (List<String> row : rows()) {
            Matcher matcher = NAME.matcher(row.get(column));
            while (!row.get(column).startsWith("no: ") && matcher.find()) {
                names.add(matcher.group(1));
            }
        }
        return names;
    }

    private static List<List<String>> rows() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("| ") && !line.startsWith("| ability")) {
                rows.add(
                        Stream.of(line.substring(1, line.length() - 1).split("\\|"))
                                .map(String::strip)
                                .toList());
            }
        }
        return rows;
    }
}
