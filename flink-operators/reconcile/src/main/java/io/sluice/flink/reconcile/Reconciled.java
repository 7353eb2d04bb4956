/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.ReconcileOutputs.Tags;
import io.sluice.flink.reconcile.message.Setup;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * What comes out of {@link Reconcile}.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
@Experimental
public final class Reconciled<T, K> {

    private final String uid;
    private final SingleOutputStreamOperator<Repair<K>> repairs;
    private final TypeInformation<K> ids;
    private final Setup setup;
    private final Tags<T, K> tags;
    private @Nullable DataStream<K> missed;

    Reconciled(
            String uid,
            SingleOutputStreamOperator<Repair<K>> repairs,
            TypeInformation<K> ids,
            Setup setup,
            Tags<T, K> tags) {
        this.uid = uid;
        this.setup = setup;
        this.ids = requireNonNull(ids, "ids");
        this.repairs = requireNonNull(repairs, "repairs");
        this.tags = requireNonNull(tags, "tags");
    }

    /**
     * Elements that this replica lacks or has fewer copies of. They come long after their window
     * has closed, with its last timestamp or, if the watermark has passed that, the first that is
     * not late: no event-time window drops them. Group by {@link Repair#window}.
     */
    public SingleOutputStreamOperator<Repair<K>> repairs() {
        return repairs;
    }

    /**
     * Ids that this replica lacked altogether, each with the last timestamp of its window, however
     * late it was found, and without watermarks: what {@link
     * io.sluice.flink.dedup.Deduplicate#alsoSeen} and {@link
     * io.sluice.flink.counter.IdempotentCounters#corrections} take.
     */
    public DataStream<K> missed() {
        if (missed == null) {
            Duration window = Duration.ofMillis(setup.windowMillis());
            missed =
                    repairs.assignTimestampsAndWatermarks(
                                    WatermarkStrategy.<Repair<K>>noWatermarks()
                                            .withTimestampAssigner(
                                                    (repair, found) ->
                                                            Missing.timeOf(repair, window)))
                            .uid(uid + "-missed-times")
                            .name("Reconcile missed times: " + uid)
                            .flatMap(new Missing<>(), ids)
                            .uid(uid + "-missed")
                            .name("Reconcile missed: " + uid);
        }
        return missed;
    }

    /**
     * Messages to the peer. Their bytes have to reach its {@code fromPeer}: some may be lost, come
     * twice or in another order, but the sink must not permanently lose what a completed checkpoint
     * has passed on; at-least-once is enough.
     */
    public DataStream<ReplicaMessage> messages() {
        return repairs.getSideOutput(tags.messages());
    }

    /** How each exchange ended: one report per window and key group. */
    public DataStream<WindowReport> reports() {
        return repairs.getSideOutput(tags.reports());
    }

    /**
     * Records that were not reconciled, with their own timestamps: they came after their window was
     * closed, are too far ahead, have no id, a negative multiplicity, or one that makes more than
     * 2^63 - 1 copies of a window and key group. The peer may have had them in time.
     */
    public DataStream<T> late() {
        return repairs.getSideOutput(tags.late());
    }

    /**
     * The complete repaired multisets of finished windows.
     *
     * @throws IllegalStateException unless {@link Reconcile#withElements} was called
     */
    public DataStream<WindowElement<K>> elements() {
        if (tags.elements() == null) {
            throw new IllegalStateException(
                    "The elements of finished windows are not emitted: call withElements() on the"
                            + " builder.");
        }
        return repairs.getSideOutput(tags.elements());
    }
}
