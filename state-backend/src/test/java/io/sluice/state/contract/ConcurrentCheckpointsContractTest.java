/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Concurrent checkpoints that end in any order or not at all, while the task hears of only some of
 * that: the last complete one can be restored.
 */
class ConcurrentCheckpointsContractTest extends StateContract {
    private static final int MAX_CONCURRENT = 4;

    @Test
    void theLastCompleteCheckpointIsWholeWhateverTheTaskHears() throws Exception {
        for (int i = 0; i < 3; i++) {
            new History(i).run(80);
        }
    }

    @Test
    @Tag("long")
    void itIsForManySeeds() throws Exception {
        for (int i = 10; i < 50; i++) {
            new History(i).run(150);
        }
    }

    /** A checkpoint that is under way. */
    private static final class Pending {
        private final Checkpoint checkpoint;
        private final long marks;
        private boolean finished;

        Pending(Checkpoint checkpoint, long marks) {
            this.checkpoint = checkpoint;
            this.marks = marks;
        }
    }

    private final class History {
        private final SplittableRandom random;
        private final Flags<Long, VoidNamespace> seen;
        private final KeyedJob<Long> job;
        private final List<Pending> pending = new ArrayList<>();
        private long marks;
        private long completed;

        History(int number) throws Exception {
            random = new SplittableRandom(Seeds.seed(number));
            seen = started(1 + random.nextInt(3));
            job = seen.job();
        }

        void run(int steps) throws Exception {
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(10)) {
                    case 0, 1, 2 -> more();
                    case 3, 4 -> begin();
                    case 5, 6 -> finish();
                    case 7, 8 -> complete();
                    default -> giveUpOrRestart();
                }
            }
            restart();
            job.stop();
        }

        private void more() throws Exception {
            long next = marks + 1 + random.nextInt(3000);
            mark(seen, marks, next);
            marks = next;
        }

        private void begin() throws Exception {
            if (pending.size() < MAX_CONCURRENT) {
                CheckpointType type =
                        random.nextInt(8) == 0
                                ? CheckpointType.FULL_CHECKPOINT
                                : CheckpointType.CHECKPOINT;
                pending.add(new Pending(job.begin(type), marks));
            }
        }

        private void finish() throws Exception {
            if (!pending.isEmpty()) {
                Pending any = pending.get(random.nextInt(pending.size()));
                if (!any.finished) {
                    any.finished = true;
                    job.finish(any.checkpoint);
                }
            }
        }

        private void complete() throws Exception {
            List<Pending> finished = pending.stream().filter(one -> one.finished).toList();
            if (finished.isEmpty()) {
                return;
            }
            Pending any = finished.get(random.nextInt(finished.size()));
            for (Pending other : List.copyOf(pending)) {
                if (other.checkpoint.id() < any.checkpoint.id()) {
                    giveUp(other);
                }
            }
            pending.remove(any);
            completed = any.marks;
            if (random.nextInt(3) == 0) {
                job.completeUnheard(any.checkpoint);
            } else {
                job.complete(any.checkpoint);
            }
        }

        private void giveUpOrRestart() throws Exception {
            if (random.nextInt(3) == 0) {
                restart();
            } else if (!pending.isEmpty()) {
                giveUp(pending.get(random.nextInt(pending.size())));
            }
        }

        private void giveUp(Pending one) throws Exception {
            pending.remove(one);
            if (random.nextInt(3) == 0) {
                for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part :
                        one.checkpoint.parts()) {
                    part.cancel(true);
                }
            } else {
                job.abort(one.checkpoint);
            }
            one.checkpoint.discard();
        }

        private void restart() throws Exception {
            for (Pending one : List.copyOf(pending)) {
                giveUp(one);
            }
            job.start(1 + random.nextInt(3));
            marks = completed;
            assertMarked(seen, marks + 2000, number -> number < completed);
        }
    }
}
