/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Logins of users, and what a machine must find in them: three failures and a success. Counts
 * failures, and knows no states.
 */
final class ExactLogins {
    static final String MACHINE =
            """
            machine: logins
            initial: none
            timeToLive: 5 min
            states:
              failures 1:
              failures 2:
              failures 3:
              broken-in: {terminal: true}
            events: [logout]
            transitions:
              - {from: none, event: failure, to: failures 1}
              - {from: failures 1, event: failure, to: failures 2}
              - {from: [failures 2, failures 3], event: failure, to: failures 3}
              - {from: [failures 1, failures 2], event: success, to: none}
              - {from: failures 3, event: success, to: broken-in, output: guessed}
            """;

    private static final long TIME_TO_LIVE = 300_000;
    private static final long BEGIN = 1_520_000_000_000L;
    private static final int USERS = 60;
    private static final String[] EVENTS = {
        "failure", "failure", "failure", "failure", "success", "logout"
    };

    /** A login, as it is sent. */
    record Login(String user, String event, long millis) {
        String json() {
            return "{\"type\":\"" + event + "\",\"user\":\"" + user + "\",\"at\":" + millis + "}";
        }
    }

    private static final class Failures {
        private int count;
        private long last;
    }

    /** What is expected, sorted. */
    final List<String> finished = new ArrayList<>();

    final List<String> illegal = new ArrayList<>();
    final List<String> timedOut = new ArrayList<>();
    final List<String> began = new ArrayList<>();
    final List<Login> logins = new ArrayList<>();
    private final Map<String, Failures> users = new HashMap<>();
    private long now = BEGIN;

    /** Whether a machine is over depends on slices up to twice its time: that is left open. */
    ExactLogins(int count) {
        Random random = new Random(5);
        while (logins.size() < count) {
            now += 1_000;
            String user = "user-" + (random.nextInt(4) == 0 ? random.nextInt(USERS) : 0);
            Failures its = users.computeIfAbsent(user, absent -> new Failures());
            boolean isOpen = now - its.last > TIME_TO_LIVE && now - its.last <= 2 * TIME_TO_LIVE;
            if (its.count == 0 || !isOpen) {
                follow(new Login(user, EVENTS[random.nextInt(EVENTS.length)], now));
            }
        }
    }

    /** Lets time pass in each partition, so that all are over but these. */
    List<Login> end(List<String> lastUsers) {
        now += 3 * TIME_TO_LIVE;
        List<Login> last = new ArrayList<>();
        for (String user : lastUsers) {
            follow(new Login(user, "failure", now));
            last.add(logins.get(logins.size() - 1));
        }
        users.forEach((user, its) -> timeOut(user, its));
        Collections.sort(finished);
        Collections.sort(illegal);
        Collections.sort(timedOut);
        Collections.sort(began);
        return last;
    }

    private void timeOut(String user, Failures its) {
        if (its.count > 0 && now - its.last > TIME_TO_LIVE) {
            timedOut.add(user + " failures " + its.count);
            its.count = 0;
        }
    }

    private void follow(Login login) {
        logins.add(login);
        Failures its = users.computeIfAbsent(login.user(), absent -> new Failures());
        timeOut(login.user(), its);
        String what = login.user() + " " + login.event() + " " + login.millis();
        boolean isFailure = login.event().equals("failure");
        if (isFailure && its.count == 0) {
            began.add(what);
        }
        if (login.event().equals("logout") || (!isFailure && its.count == 0)) {
            illegal.add(what + (its.count == 0 ? " none" : " failures " + its.count));
        } else if (isFailure) {
            its.count = Math.min(3, its.count + 1);
            its.last = login.millis();
        } else {
            if (its.count == 3) {
                finished.add(what + " guessed");
            }
            its.count = 0;
        }
    }
}
