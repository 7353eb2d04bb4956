/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** The ids that left the operators of the one job that runs in this process. */
final class Passed {

    private static final Map<String, Queue<Long>> IDS = new ConcurrentHashMap<>();

    private Passed() {}

    static void clear() {
        IDS.clear();
    }

    static List<Long> of(String operator) {
        return List.copyOf(IDS.getOrDefault(operator, new ConcurrentLinkedQueue<>()));
    }

    static void record(String operator, DataStream<Long> stream) {
        stream.map(new Recording(operator)).sinkTo(new DiscardingSink<>());
    }

    private record Recording(String operator) implements MapFunction<Long, Long> {
        @Override
        public Long map(Long id) {
            IDS.computeIfAbsent(operator, name -> new ConcurrentLinkedQueue<>()).add(id);
            return id;
        }
    }
}
