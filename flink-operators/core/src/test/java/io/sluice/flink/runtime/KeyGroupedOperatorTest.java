/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.CheckpointFolder;
import io.sluice.flink.testkit.Subtasks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does with its pins, however its part of a checkpoint ends. */
class KeyGroupedOperatorTest {

    private static final class TextOperator extends KeyGroupedOperator<Long, Long, String> {
        private final transient Texts texts;
        private transient boolean fails;

        TextOperator(Texts texts) {
            this.texts = texts;
        }

        @Override
        protected String layout() {
            return "texts";
        }

        @Override
        protected Set<String> readableLayouts() {
            return Set.of("texts");
        }

        @Override
        protected KeyGroupedState.Handler<String> createHandler() {
            return texts;
        }

        @Override
        public void processElement(StreamRecord<Long> record) {
            groups().get(keyGroupOf(record.getValue().hashCode()));
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            if (fails) {
                throw new IOException("after the pins");
            }
        }
    }

    private final Texts texts = new Texts();
    private final TextOperator operator = new TextOperator(texts);
    private final Subtasks<Long, Long, Long> stream =
            new Subtasks<>(id -> id, Types.LONG, 10, Backends.HASHMAP);

    @TempDir private Path folder;

    @BeforeEach
    void start() throws Exception {
        stream.start(1, () -> operator);
        for (long id = 0; id < 20; id++) {
            stream.process(id, 0);
        }
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    @Test
    void pinsAreHeldUntilTheyAreWritten() throws Exception {
        var checkpoint = stream.beginSnapshot(new CheckpointFolder(folder));
        texts.noPinIsClosed();
        stream.completeSnapshot(checkpoint);
        texts.allPinsAreClosed();
    }

    @Test
    void pinsAreLetGoWhenTheSynchronousPartFailsAfterThem() {
        operator.fails = true;
        assertThatThrownBy(() -> stream.beginSnapshot(new CheckpointFolder(folder)))
                .isInstanceOf(CheckpointException.class)
                .hasRootCauseMessage("after the pins");
        texts.allPinsAreClosed();
    }

    @Test
    void pinsAreLetGoWhenTheTaskIsClosing() throws Exception {
        operator.getContainingTask().getCancelables().close();
        assertThatThrownBy(() -> stream.beginSnapshot(new CheckpointFolder(folder)))
                .isInstanceOf(CheckpointException.class);
        assertThat(texts.pins()).isEqualTo(texts.closedPins());
    }

    @Test
    void pinsAreLetGoWhenTheCheckpointIsCancelled() throws Exception {
        var checkpoint = stream.beginSnapshot(new CheckpointFolder(folder));
        checkpoint.get(0).cancel();
        texts.allPinsAreClosed();
    }
}
