/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.suite.Ledger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Two Boolean states, one with a time-to-live, which each key of a job is looked up in, and marked
 * in, whenever the job comes to it. Beside them, exactly, how often that was. Every eighth time the
 * marks are removed.
 *
 * <p>Most of Flink's tests have no Boolean state. With these, each job with keys is a test of
 * filters in its checkpoints, restores and rescalings.
 */
final class Canary<K> {

    private static final String NAME = "sluice-suite-seen";
    private static final String WITH_TIME = "sluice-suite-seen-ttl";
    private static final String TRUTH = NAME + OracleKeyedStateBackend.TRUTH;

    /** Longer than any test runs. */
    private static final Duration TIME_TO_LIVE = Duration.ofDays(1);

    private static final long REMOVED_EACH = 8;

    private final AbstractKeyedStateBackend<K> backend;
    private final TtlTimeProvider clock;

    @Nullable private InternalValueState<K, VoidNamespace, Boolean> plain;
    private InternalValueState<K, VoidNamespace, Boolean> expiring;
    private InternalValueState<K, VoidNamespace, Long> truth;

    Canary(AbstractKeyedStateBackend<K> backend, TtlTimeProvider clock) {
        this.backend = backend;
        this.clock = clock;
    }

    /** Checks the current key's marks, then marks it, or removes it. */
    void touch(@Nullable K key) {
        if (key == null) {
            return;
        }
        try {
            if (plain == null) {
                make();
            }
            Long times = truth.value();
            boolean isMarked = times != null && times % REMOVED_EACH != 0;
            Ledger.asked(NAME, isMarked, isMarked, plain.value() != null);
            Ledger.asked(WITH_TIME, isMarked, isMarked, expiring.value() != null);
            long now = times == null ? 1 : times + 1;
            truth.update(now);
            if (now % REMOVED_EACH == 0) {
                plain.clear();
                expiring.clear();
            } else {
                plain.update(true);
                expiring.update(true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void make() {
        try {
            truth =
                    backend.createOrUpdateInternalState(
                            VoidNamespaceSerializer.INSTANCE,
                            new ValueStateDescriptor<>(TRUTH, LongSerializer.INSTANCE),
                            StateSnapshotTransformFactory.noTransform());
            ValueStateDescriptor<Boolean> withTime =
                    new ValueStateDescriptor<>(WITH_TIME, BooleanSerializer.INSTANCE);
            withTime.enableTimeToLive(StateTtlConfig.newBuilder(TIME_TO_LIVE).build());
            expiring =
                    TtlStateFactory.createStateAndWrapWithTtlIfEnabled(
                            VoidNamespaceSerializer.INSTANCE, withTime, backend, clock);
            InternalValueState<K, VoidNamespace, Boolean> seen =
                    backend.createOrUpdateInternalState(
                            VoidNamespaceSerializer.INSTANCE,
                            new ValueStateDescriptor<>(NAME, BooleanSerializer.INSTANCE),
                            StateSnapshotTransformFactory.noTransform());
            for (InternalValueState<K, VoidNamespace, ?> each : List.of(seen, expiring, truth)) {
                each.setCurrentNamespace(VoidNamespace.INSTANCE);
            }
            plain = seen;
            Ledger.canaryMade();
        } catch (Exception e) {
            throw new FlinkRuntimeException("The states of the suite could not be made.", e);
        }
    }
}
