/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Watches tallies that are sorted by party, and by pane for each: exact, with two panes of one
 * party in memory, and no state. Nothing is late or forgotten; every attack is reported with its
 * end, as if the watermark had advanced after the last attempt.
 */
final class SortedAttackOperator extends AbstractStreamOperator<AttackAlert>
        implements OneInputStreamOperator<Tally, AttackAlert> {

    private final AttackSettings settings;

    private transient Room room;
    private transient AttackCounts counts;
    private transient AttackMetrics attackMetrics;
    private transient StreamRecord<AttackAlert> alert;

    /** The watch of the current party; null before the first. */
    private transient AttackWatch watch;

    private transient long key;

    SortedAttackOperator(AttackSettings settings) {
        this.settings = requireNonNull(settings, "settings");
    }

    @Override
    public void open() throws Exception {
        super.open();
        alert = new StreamRecord<>(null);
        room = new Room(Long.MAX_VALUE);
        counts = new AttackCounts();
        attackMetrics = new AttackMetrics(getMetricGroup());
    }

    @Override
    public void processElement(StreamRecord<Tally> record) {
        Tally tally = record.getValue();
        if (watch == null || tally.key() != key) {
            endParty();
            key = tally.key();
            watch = new AttackWatch(settings, room, counts);
        }
        long paneMillis = settings.paneMillis();
        long pane = Math.floorDiv(tally.lastMillis(), paneMillis);
        if (pane > AttackWatch.firstPane(paneMillis)) {
            watch.advance(AttackWatch.lastMillis(pane - 1, paneMillis), this::emit);
        }
        watch.add(tally);
    }

    private void endParty() {
        if (watch != null) {
            watch.end(this::emit);
            attackMetrics.show(counts, 0, 0, 0);
        }
    }

    private void emit(AttackAlert attack) {
        output.collect(alert.replace(attack, attack.millis()));
    }

    @Override
    public void finish() throws Exception {
        endParty();
        watch = null;
        super.finish();
    }

    @Override
    public boolean hasKeyContext1() {
        return false;
    }
}
