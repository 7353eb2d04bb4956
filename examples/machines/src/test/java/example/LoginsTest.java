/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Judged by counting the failures of each user. */
class LoginsTest {
    private static final long TEN_MINUTES = 600_000;
    private static final long TIMED_OUT = TEN_MINUTES + TEN_MINUTES / 16;
    private static final int USERS = 40;
    private static final int LOGINS = 4_000;
    private static final String[] STATES = {
        "failed once", "failed twice", "failed 3 times", "failed 4 times", "suspicious"
    };

    private final Map<String, Integer> failures = new HashMap<>();
    private final Map<String, Long> last = new HashMap<>();
    private final List<String> expected = new ArrayList<>();

    @Test
    void fiveFailuresAndASuccessWithoutALongPauseAreFound() throws Exception {
        Random random = new Random(3);
        List<Event> logins = new ArrayList<>();
        long now = 1_700_000_000_000L;
        while (logins.size() < LOGINS) {
            now += 4_000;
            // Some users come all the time, others after pauses.
            String user = "user-" + (int) Math.abs(random.nextGaussian() * USERS / 3);
            long pause = now - last.getOrDefault(user, 0L);
            if (pause <= TEN_MINUTES || pause > TIMED_OUT) {
                logins.add(new Event(user, random.nextInt(6) < 5 ? "failure" : "success", now));
                count(logins.get(logins.size() - 1));
            }
        }
        now += 2 * TIMED_OUT;
        logins.add(new Event("last", "failure", now));
        for (String user : List.copyOf(failures.keySet())) {
            timeOut(user, now);
        }
        expected.add("OPEN last failed once");

        assertThat(expected).filteredOn(each -> each.startsWith("FINISHED")).hasSizeGreaterThan(99);
        assertThat(expected).filteredOn(each -> each.startsWith("TIMED")).hasSizeGreaterThan(9);
        assertThat(Followed.reports("logins.yaml", logins))
                .isEqualTo(expected.stream().sorted().toList());
    }

    private void count(Event login) {
        String user = login.key();
        timeOut(user, login.timestamp());
        int before = failures.getOrDefault(user, 0);
        if (login.event().equals("failure")) {
            failures.put(user, before + 1);
            last.put(user, login.timestamp());
        } else {
            if (before >= 5) {
                expected.add("FINISHED " + user + " broken in success");
            }
            failures.remove(user);
            last.remove(user);
        }
    }

    private void timeOut(String user, long now) {
        if (failures.containsKey(user) && now - last.get(user) > TEN_MINUTES) {
            int its = Math.min(failures.remove(user), STATES.length);
            last.remove(user);
            expected.add("TIMED_OUT " + user + " " + STATES[its - 1]);
        }
    }
}
