/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/operations.md} says what to do about each alarm on deduplication and on jobs. */
class OperationsPageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
    private static final Pattern ALARM = Pattern.compile("`(Sluice[A-Z]\\w+)`");

    private final String page;
    private final String rules;

    OperationsPageTest() throws IOException {
        page = Files.readString(ROOT.resolve("docs/operations.md"));
        rules = Files.readString(ROOT.resolve("docker/prometheus/rules.yml"));
    }

    @Test
    void eachAlarmOfThePageHasARule() {
        assertThat(named(ALERT, rules)).containsAll(named(ALARM, page));
    }

    @Test
    void eachRuleOfDeduplicationAndOfJobsIsAnAlarmOfThePage() {
        Set<String> alerts = new TreeSet<>();
        for (String group : rules.split("- name: ", -1)) {
            if (group.matches("(?s)sluice-(deduplication|cascade|jobs)\\s.*")) {
                alerts.addAll(named(ALERT, group));
            }
        }
        assertThat(alerts).hasSizeGreaterThan(15);
        assertThat(named(ALARM, page)).containsAll(alerts);
    }

    private static Set<String> named(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
