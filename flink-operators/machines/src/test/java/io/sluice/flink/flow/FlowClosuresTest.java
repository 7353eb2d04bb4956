/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.testkit.Applied;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;

/** A view and a tag made in an instance method of a class that cannot be serialized. */
class FlowClosuresTest {

    private static final int SYN = 2;

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final DataStream<Long> packets = env.fromData(1L, 2L);
    private final Object lock = new Object();

    private abstract static class View implements TcpView<Long> {
        @Override
        public String scheme() {
            return "test";
        }

        @Override
        public boolean isSegment(Long packet) {
            return true;
        }

        @Override
        public long flow(Long packet) {
            return packet;
        }

        @Override
        public boolean fromLower(Long packet) {
            return true;
        }
    }

    private TcpView<Long> syns() {
        return new View() {
            @Override
            public int flags(Long packet) {
                return SYN;
            }
        };
    }

    private TcpView<Long> locked() {
        return new View() {
            @Override
            public int flags(Long packet) {
                synchronized (lock) {
                    return SYN;
                }
            }
        };
    }

    @Test
    void aViewAndATagMayBeMadeInAnInstanceMethod() throws Exception {
        var flows =
                FlowStateMachine.of(syns())
                        .uid("x")
                        .alerts(new OutputTag<>("alerts") {})
                        .apply(packets);
        try (var stream = Applied.of(Types.LONG, flows).start(1)) {
            stream.process(1L, 0);
            assertThat(stream.advance(Long.MAX_VALUE)).hasSize(1);
        }
    }

    @Test
    void aViewThatUsesWhatCannotBeSerializedIsRefused() {
        FlowStateMachine<Long> builder = FlowStateMachine.of(locked()).uid("x");
        assertThatThrownBy(() -> builder.apply(packets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("the view of of(...)", "cannot be serialized", "static");
    }
}
