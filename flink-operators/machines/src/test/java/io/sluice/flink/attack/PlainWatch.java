/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Attempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An independent definition of attacks, from all attempts at once, with sets instead of sketches.
 */
final class PlainWatch {

    private final AttackSettings settings;
    private final long pane;

    PlainWatch(AttackSettings settings) {
        this.settings = settings;
        this.pane = settings.window().toMillis() / 2;
    }

    /** The alerts until {@code endMillis}, in no particular order. */
    List<AttackAlert> alerts(List<Attempt> attempts, long endMillis) {
        Map<Party, List<Attempt>> byParty = new HashMap<>();
        for (Attempt each : attempts) {
            byParty.computeIfAbsent(settings.kind().partyOf(each), unused -> new ArrayList<>())
                    .add(each);
        }
        List<AttackAlert> alerts = new ArrayList<>();
        byParty.forEach((party, own) -> add(alerts, party, own, endMillis));
        return alerts;
    }

    private void add(List<AttackAlert> to, Party party, List<Attempt> attempts, long endMillis) {
        long quietPanes = (settings.quiet().toMillis() + pane - 1) / pane;
        long firstPane = Math.floorDiv(attempts.get(0).millis(), pane);
        boolean isRaised = false;
        long last = 0;
        long since = 0;
        long most = 0;
        long countedFrom = 0;
        for (long p = firstPane; (p + 1) * pane <= endMillis; p++) {
            List<Attempt> window = between(attempts, (p - 1) * pane, (p + 1) * pane);
            if (isAttack(window)) {
                most = isRaised ? Math.max(most, targets(window)) : targets(window);
                if (!isRaised) {
                    isRaised = true;
                    since = window.get(0).millis();
                    countedFrom = (p - 1) * pane;
                    to.add(alert(true, party, window, most, since, p));
                }
                last = p;
            } else if (isRaised && p - last >= quietPanes) {
                isRaised = false;
                List<Attempt> all = between(attempts, countedFrom, (p + 1) * pane);
                to.add(alert(false, party, all, most, since, p));
            }
        }
    }

    private AttackAlert alert(
            boolean raised, Party party, List<Attempt> in, long most, long since, long p) {
        return new AttackAlert(
                settings.kind(),
                raised,
                party.address(),
                party.port(),
                count(in, Attempt.Kind.STARTED),
                count(in, Attempt.Kind.COMPLETED),
                count(in, Attempt.Kind.REFUSED),
                most,
                since,
                (p + 1) * pane - 1);
    }

    private boolean isAttack(List<Attempt> window) {
        long started = count(window, Attempt.Kind.STARTED);
        long completed = count(window, Attempt.Kind.COMPLETED);
        long refused = count(window, Attempt.Kind.REFUSED);
        long enough =
                settings.kind() == AttackKind.SCAN
                        ? targets(window)
                        : started - completed - refused;
        return enough >= settings.threshold() && completed <= settings.completedShare() * started;
    }

    private long targets(List<Attempt> window) {
        if (settings.kind() == AttackKind.SYN_FLOOD) {
            return 0;
        }
        Set<Party> targets = new HashSet<>();
        for (Attempt each : window) {
            if (each.kind() == Attempt.Kind.STARTED) {
                targets.add(new Party(each.target(), each.port()));
            }
        }
        return targets.size();
    }

    private static long count(List<Attempt> attempts, Attempt.Kind kind) {
        return attempts.stream().filter(each -> each.kind() == kind).count();
    }

    private static List<Attempt> between(List<Attempt> attempts, long from, long to) {
        return attempts.stream()
                .filter(each -> each.millis() >= from && each.millis() < to)
                .toList();
    }
}
