/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.workaround;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.junit.jupiter.api.Test;

class LenientCloseTest {

    /** Nothing works any more. */
    @SuppressWarnings("try") // Interruptions, too.
    private record Broken(Exception atClose)
            implements PrecommittingStatefulSinkWriter<String, KafkaWriterState, KafkaCommittable> {
        private static final String FENCED = "fenced";

        @Override
        public void write(String value, Context context) throws IOException {
            throw new IOException(FENCED);
        }

        @Override
        public void flush(boolean endOfInput) throws IOException {
            throw new IOException(FENCED);
        }

        @Override
        public Collection<KafkaCommittable> prepareCommit() throws IOException {
            throw new IOException(FENCED);
        }

        @Override
        public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
            throw new IOException(FENCED);
        }

        @Override
        public void close() throws Exception {
            throw atClose;
        }
    }

    @Test
    void aWriterThatCannotBeClosedThrowsNothing() {
        assertThatCode(new LenientClose<>(new Broken(new IOException("away")))::close)
                .doesNotThrowAnyException();
    }

    @Test
    void whatElseGoesWrongIsThrown() {
        LenientClose<String> writer = new LenientClose<>(new Broken(null));

        assertThatThrownBy(() -> writer.write("a", null)).hasMessage(Broken.FENCED);
        assertThatThrownBy(() -> writer.flush(true)).hasMessage(Broken.FENCED);
        assertThatThrownBy(writer::prepareCommit).hasMessage(Broken.FENCED);
        assertThatThrownBy(() -> writer.snapshotState(1)).hasMessage(Broken.FENCED);
    }

    @Test
    void anInterruptionIsNotForgotten() {
        new LenientClose<>(new Broken(new InterruptedException())).close();

        assertThat(Thread.interrupted()).isTrue();
    }
}
