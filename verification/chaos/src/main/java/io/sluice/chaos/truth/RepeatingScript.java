/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/** {@link ScriptedIds} on one topic, each in any partition. */
abstract class RepeatingScript implements Script {
    /** One in this number of ids has a wrong time, while there are such. */
    private static final int WILD_EVERY = 50;

    private final int partitions;
    private final ScriptedIds ids;
    private final SplittableRandom random;
    private volatile long wildMillis;

    RepeatingScript(int partitions, SplittableRandom random, Duration window, int perSecond) {
        this.partitions = partitions;
        this.random = random.split();
        ids = new ScriptedIds(random, window, perSecond);
    }

    @Override
    public final void wildTimes(long millis) {
        wildMillis = millis;
    }

    @Override
    public final Planned next() {
        ScriptedIds.Due due = ids.next();
        int partition = random.nextInt(partitions);
        return new Planned(due.millis(), now -> record(due, partition, now));
    }

    /** How far ahead a time of this id would be now. */
    final long ahead(long id) {
        return id % WILD_EVERY == 0 ? wildMillis : 0;
    }

    /** Called once for each send, in their order. */
    abstract ProducerRecord<byte[], byte[]> record(ScriptedIds.Due due, int partition, long now);
}
