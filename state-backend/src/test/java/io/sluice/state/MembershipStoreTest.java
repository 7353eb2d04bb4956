/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.SyncPolicy;
import io.sluice.filter.sample.IdSample;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import io.sluice.filter.storage.ForwardingDirectory;
import io.sluice.filter.storage.NioDirectory;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.PinnedState;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the filter of a state lets go of what it has taken. */
@Timeout(120)
@SuppressWarnings("try") // closing an environment may be interrupted, says its type
class MembershipStoreTest {

    @TempDir Path directory;

    /**
     * The last checkpoint of a state that was replaced closes it on its own thread, perhaps while
     * the task ends and closes all states.
     */
    @Test
    void memoryStaysUntilTheFirstOfTwoThatCloseAFilterIsDone() throws Exception {
        try (MockEnvironment env =
                new MockEnvironmentBuilder().setManagedMemorySize(32L << 20).build()) {
            FilterHome home = home(env);
            SlowlyLeft left = new SlowlyLeft(new NioDirectory(directory));
            MembershipStore store = store(home, left);
            home.close();
            Thread checkpoint = new Thread(() -> close(store));
            checkpoint.start();
            left.awaitLeaving();
            store.close();
            assertThat(env.getMemoryManager().verifyEmpty()).isFalse();
            left.leave();
            checkpoint.join();
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
        }
    }

    /** The task ends while the last checkpoint of a state that was replaced is being written. */
    @Test
    void memoryIsGivenBackByTheLastCheckpointOfAReplacedStateThatTheTaskHasClosed()
            throws Exception {
        try (MockEnvironment env =
                new MockEnvironmentBuilder().setManagedMemorySize(32L << 20).build()) {
            FilterHome home = home(env);
            MembershipStore store = store(home, new NioDirectory(directory));
            PinnedState pinned = store.pin();
            store.retire();
            store.close();
            home.close();
            assertThat(env.getMemoryManager().verifyEmpty()).isFalse();
            pinned.close();
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
        }
    }

    private static FilterHome home(MockEnvironment env) {
        return new FilterHome(
                CascadeSettings.from(new Configuration()),
                env,
                "operator",
                0.5,
                new MembershipMetrics(new UnregisteredMetricsGroup()));
    }

    private MembershipStore store(FilterHome home, Directory files) throws IOException {
        FilterHome.Tenancy tenancy = home.moveIn("seen", 1);
        return new MembershipStore(
                CascadeFilter.open(
                        files,
                        CascadeOptions.builder()
                                .syncPolicy(SyncPolicy.NEVER)
                                .resources(tenancy.slot().shared())
                                .build()),
                new MembershipInfo("seen", 1e-3, 0, ""),
                directory,
                IdSample.none(),
                tenancy);
    }

    private static void close(MembershipStore store) {
        try {
            store.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A directory whose lock, the last thing to be released, is released late. */
    private static final class SlowlyLeft extends ForwardingDirectory {
        private final CountDownLatch leaving = new CountDownLatch(1);
        private final CountDownLatch left = new CountDownLatch(1);

        SlowlyLeft(Directory files) {
            super(files);
        }

        void awaitLeaving() throws InterruptedException {
            leaving.await();
        }

        void leave() {
            left.countDown();
        }

        @Override
        public DirectoryLock lock() throws IOException {
            DirectoryLock lock = super.lock();
            return () -> {
                leaving.countDown();
                try {
                    left.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while it is left");
                }
                lock.close();
            };
        }
    }
}
