/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.storage.FaultyDirectory.Fault;
import io.sluice.filter.storage.FaultyDirectory.InjectedFault;
import io.sluice.filter.storage.FaultyDirectory.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

/** Without a fault it is the other directory; with one, it fails as planned. */
class FaultyDirectoryTest extends DirectoryContract {

    private final CrashableDirectory inner = new CrashableDirectory();
    private final FaultyDirectory faulty = new FaultyDirectory(inner);

    @Override
    Directory create() {
        return faulty;
    }

    private static ByteBuffer tenBytes() {
        return ByteBuffer.wrap(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }

    @Test
    void theChosenOperationFailsOnce() throws IOException {
        faulty.plan(Fault.FAIL, EnumSet.of(Operation.CREATE), 1);
        faulty.create("a").close();
        assertThatThrownBy(() -> faulty.create("b")).isInstanceOf(InjectedFault.class);
        assertThat(faulty.happened()).isTrue();
        assertThat(inner.list()).containsExactly("a");
        faulty.create("b").close();
    }

    @Test
    void anOperationMayFailAfterItWasDone() throws IOException {
        faulty.create("a").close();
        faulty.plan(Fault.FAIL_AFTERWARDS, EnumSet.of(Operation.RENAME), 0);
        assertThatThrownBy(() -> faulty.rename("a", "b")).isInstanceOf(InjectedFault.class);
        assertThat(inner.list()).containsExactly("b");
    }

    @Test
    void nothingWorksInADeadProcess() throws IOException {
        WritableFile file = faulty.create("a");
        faulty.plan(Fault.STOP, Operation.all(), 1);
        file.write(tenBytes());
        assertThatThrownBy(() -> file.write(tenBytes())).isInstanceOf(InjectedFault.class);
        assertThatThrownBy(() -> file.write(tenBytes())).isInstanceOf(InjectedFault.class);
        assertThatThrownBy(file::sync).isInstanceOf(InjectedFault.class);
        assertThatThrownBy(faulty::list).isInstanceOf(InjectedFault.class);
        assertThat(inner.length("a")).isEqualTo(15);
        faulty.heal();
        assertThat(faulty.list()).containsExactly("a");
    }

    @Test
    void aFullDiskIsReadAndClearedButNotWritten() throws IOException {
        WritableFile file = faulty.create("a");
        faulty.plan(Fault.DISK_FULL, Operation.all(), 0);
        assertThatThrownBy(() -> file.write(tenBytes())).isInstanceOf(InjectedFault.class);
        assertThatThrownBy(() -> faulty.create("b")).isInstanceOf(InjectedFault.class);
        assertThat(faulty.length("a")).isEqualTo(5);
        faulty.delete("a");
        assertThat(inner.list()).isEmpty();
    }

    @Test
    void oneBitOfTheChosenReadIsWrong() throws IOException {
        try (WritableFile file = faulty.create("a")) {
            file.write(tenBytes());
        }
        faulty.planFlip(1, 8 * 3 + 7);
        try (ReadableFile file = faulty.open("a")) {
            for (int expected : new int[] {3, 3 | 128, 3}) {
                ByteBuffer into = ByteBuffer.allocate(10);
                assertThat(file.read(0, into)).isEqualTo(10);
                assertThat(into.get(3) & 0xff).isEqualTo(expected);
            }
        }
    }

    @Test
    void operationsAreCounted() throws IOException {
        long before = faulty.operations();
        faulty.create("a").close();
        faulty.list();
        faulty.sync();
        assertThat(faulty.operations() - before).isEqualTo(3);
    }
}
