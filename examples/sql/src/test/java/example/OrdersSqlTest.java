/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/** The script, statement by statement, in a cluster of the test's own. */
class OrdersSqlTest {

    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']*)'");

    @Test
    void eachOrderComesOutOnce() throws Exception {
        Configuration settings = new Configuration();
        List<String> statements = new ArrayList<>();
        for (String statement : statements(Path.of("orders.sql"))) {
            Matcher set = SET.matcher(statement);
            if (set.matches()) { // only the SQL client knows SET
                settings.setString(set.group(1), set.group(2));
            } else {
                statements.add(statement);
            }
        }
        assertThat(settings.toMap()).containsKey("state.backend.type");
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(settings)
                                .build());

        String query = statements.remove(statements.size() - 1);
        statements.forEach(tables::executeSql);
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        assertThat(rows)
                .containsExactlyInAnyOrder(Row.of("a", 10), Row.of("b", 20), Row.of("c", 30));
    }

    private static List<String> statements(Path script) throws Exception {
        String text = Files.readString(script).replaceAll("(?m)^--.*$", "");
        return Pattern.compile(";\\s*").splitAsStream(text.strip()).map(String::strip).toList();
    }
}
