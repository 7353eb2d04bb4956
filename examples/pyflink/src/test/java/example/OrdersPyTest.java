/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.CascadeBackendOptions;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/**
 * What {@code orders.py} gives to Flink, given to it from here: its configuration and its SQL. Its
 * calls of PyFlink are not made.
 */
class OrdersPyTest {

    private static final Pattern ENTRY = Pattern.compile("(?m)^    \"([^\"]+)\": \"([^\"]*)\",$");

    private final String script = Files.readString(Path.of("orders.py"));

    OrdersPyTest() throws Exception {}

    @Test
    void itsKeysAreOptionsOfFlinkAndOfTheStateBackend() throws Exception {
        Set<String> known = new HashSet<>();
        for (Class<?> options :
                List.of(
                        StateBackendOptions.class,
                        CheckpointingOptions.class,
                        CascadeBackendOptions.class)) {
            for (Field field : options.getFields()) {
                if (field.getType() == ConfigOption.class) {
                    known.add(((ConfigOption<?>) field.get(null)).key());
                }
            }
        }
        assertThat(configuration()).hasSize(4);
        assertThat(known).containsAll(configuration().keySet());
        assertThat(script).contains('"' + PipelineOptions.JARS.key() + '"');
    }

    @Test
    void itsQueryPutsOutEachOrderOnce() throws Exception {
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(Configuration.fromMap(configuration()))
                                .build());
        tables.executeSql("LOAD MODULE sluice");
        tables.executeSql(text("ORDERS"));
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> results = tables.executeSql(text("ONCE")).collect()) {
            results.forEachRemaining(rows::add);
        }
        assertThat(rows)
                .containsExactlyInAnyOrder(Row.of("a", 10), Row.of("b", 20), Row.of("c", 30));
    }

    private Map<String, String> configuration() {
        Map<String, String> entries = new LinkedHashMap<>();
        ENTRY.matcher(script).results().forEach(it -> entries.put(it.group(1), it.group(2)));
        return entries;
    }

    /** What is assigned to that name in the script, in three quotes. */
    private String text(String name) {
        Matcher matcher =
                Pattern.compile("(?ms)^" + name + " = \"\"\"(.*?)\"\"\"$").matcher(script);
        assertThat(matcher.find()).as(name).isTrue();
        return matcher.group(1);
    }
}
