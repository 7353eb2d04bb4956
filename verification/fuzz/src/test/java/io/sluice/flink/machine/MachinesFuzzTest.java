/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The machines of a key group: names of their states and counts, then a store. */
class MachinesFuzzTest {

    @FuzzTest
    void machinesInAnExactStore(byte[] bytes) throws IOException {
        readAndFollow(StoreKind.EXACT, bytes);
    }

    @FuzzTest
    void machinesInAStoreOfFingerprints(byte[] bytes) throws IOException {
        readAndFollow(StoreKind.FINGERPRINTS, bytes);
    }

    @FuzzTest
    void machinesInFilters(byte[] bytes) throws IOException {
        readAndFollow(StoreKind.KBF, bytes);
    }

    private static void readAndFollow(StoreKind store, byte[] bytes) throws IOException {
        MachineGroupFormat format = GoldenMachines.format(store);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> read(format, in, source),
                group -> use(format, group));
    }

    /** Sound bytes of a machine with other states are refused by the names of these. */
    private static MachineGroup read(MachineGroupFormat format, InputStream in, String source)
            throws IOException {
        try {
            return format.read(in, source);
        } catch (IllegalStateException e) {
            if (e.getMessage().startsWith(source + ": ")) {
                throw new CorruptFilterException(source, 0, e.getMessage());
            }
            throw e;
        }
    }

    private static byte[] use(MachineGroupFormat format, MachineGroup group) throws IOException {
        int events = group.machine().events().size();
        for (int i = 0; i < 30; i++) {
            group.advance(60_000L + 100L * i, 200_000);
            boolean unused = group.follow(Hashing.hash(i % 10), i % events, 60_000L + i);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        format.write(group, out);
        return out.toByteArray();
    }
}
