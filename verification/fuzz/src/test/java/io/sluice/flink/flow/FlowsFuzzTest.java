/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.configuration.Configuration;

/** The flows of a key group: counts, then a store. */
class FlowsFuzzTest {

    private interface StoreReader {
        StateStore read(InputStream in, String source) throws IOException;
    }

    @FuzzTest
    void anExactStore(byte[] bytes) throws IOException {
        readAndFollow(
                bytes,
                (in, source) ->
                        ExactStore.readFrom(
                                in,
                                source,
                                FlowTimeouts.DEFAULT.states(),
                                StoreMemory.unlimited()));
    }

    @FuzzTest
    void aGenerationalStore(byte[] bytes) throws IOException {
        readAndFollow(
                bytes,
                (in, source) ->
                        GenerationalStore.readFrom(
                                in,
                                source,
                                new KeyValueGenerations(
                                        96, 7, Storage.HEAP, IdleClass.frequencies()),
                                FlowTimeouts.DEFAULT.states(),
                                StoreMemory.unlimited(),
                                16));
    }

    @FuzzTest
    void aStoreOfFingerprints(byte[] bytes) throws IOException {
        StoreSettings.Stores stores =
                FlowSettings.of(
                                new Configuration()
                                        .set(FlowOptions.STORE, StoreKind.FINGERPRINTS)
                                        .set(FlowOptions.EXPECTING, 50L))
                        .stores()
                        .stores(1, StoreMemory.unlimited());
        readAndFollow(bytes, stores::read);
    }

    private static void readAndFollow(byte[] bytes, StoreReader store) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> {
                    FlowCounts counts = FlowCounts.readFrom(in, source);
                    return new FlowTracker(
                            new ConnectionMachine(true),
                            store.read(in, source),
                            counts,
                            FlowTracker.TimedOut.IGNORE);
                },
                FlowsFuzzTest::use);
    }

    private static byte[] use(FlowTracker tracker) throws IOException {
        for (int flow = 0; flow < 30; flow++) {
            tracker.advance(60_000L + 100L * flow);
            tracker.follow(Hashing.hash(flow % 10), flow % 2 == 0, 1 << flow % 5, 60_000L + flow);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        tracker.writeTo(out);
        return out.toByteArray();
    }
}
