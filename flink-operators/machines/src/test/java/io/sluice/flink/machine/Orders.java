/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.StreamKey;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.util.OutputTag;

/** Subtasks that follow orders, with options to be set before they start. */
final class Orders {

    static final OutputTag<MachineReport> ILLEGAL = new OutputTag<>("illegal", MachineReport.TYPE);

    private static final String[] TYPES = {
        "order", "pay", "cancel", "forget", "ship", "order", "ship", "nonsense"
    };

    /** An event of an order. */
    record Event(String order, @Nullable String type, long millis) {}

    final Subtasks<Object, Event, MachineReport> stream;
    final Configuration options = new Configuration();
    final Map<String, String> renamed = new TreeMap<>();
    private final IdHasher<String> hasher = IdHasher.of(Types.STRING, new SerializerConfigImpl());
    MachineDefinition machine = definition().build();
    OnLate<Event> onLate = OnLate.forward();

    Orders() {
        this(32);
    }

    Orders(int maxParallelism) {
        stream =
                new Subtasks<>(
                        new StreamKey<>(Event::order, hasher),
                        hasher.keyType(),
                        maxParallelism,
                        Backends.HASHMAP);
    }

    /** Ten seconds to pay, twenty to ship; what was shipped is held for five, to absorb repeats. */
    static MachineBuilder<String, String> definition() {
        return MachineDefinition.named("orders")
                .initial("none")
                .state("ordered", Duration.ofSeconds(10))
                .state("paid", Duration.ofSeconds(20))
                .terminal("shipped", Duration.ofSeconds(5))
                .terminal("cancelled")
                .transition("none", "order", "ordered")
                .transition("ordered", "order", "ordered")
                .transition("ordered", "pay", "paid", "payment")
                .transition("ordered", "cancel", "cancelled")
                .transition("ordered", "forget", "none")
                .transition("paid", "ship", "shipped")
                .transition("shipped", "ship", "shipped")
                .transition("shipped", "order", "ordered");
    }

    /** Returns random events of some orders, in the order of their times. */
    static List<Event> events(SplittableRandom random, int number, int ofOrders) {
        List<Event> events = new ArrayList<>();
        long millis = 0;
        for (int i = 0; i < number; i++) {
            millis += random.nextInt(40);
            events.add(
                    new Event(
                            "order " + random.nextInt(ofOrders),
                            TYPES[random.nextInt(TYPES.length)],
                            millis));
        }
        return events;
    }

    Orders emit(Kind... kinds) {
        options.set(MachineOptions.EMIT, List.of(kinds));
        return this;
    }

    Supplier<OneInputStreamOperator<Event, MachineReport>> operator() {
        MachineSettings settings = MachineSettings.of(machine, renamed, options, ILLEGAL);
        MachineInput<Event, String> input = new MachineInput<>(Event::order, hasher, Event::type);
        return () -> new MachineOperator<>(input, settings, onLate);
    }

    Orders start(int parallelism) throws Exception {
        stream.start(parallelism, operator());
        return this;
    }

    List<String> process(String order, @Nullable String type, long millis) throws Exception {
        return lines(stream.process(new Event(order, type, millis), millis));
    }

    List<String> advance(long watermark) throws Exception {
        return lines(stream.advance(watermark));
    }

    static List<String> lines(List<MachineReport> reports) {
        List<String> lines = new ArrayList<>();
        for (MachineReport each : reports) {
            lines.add(
                    each.kind()
                            + " "
                            + (each.key() == null ? "" : each.key() + " ")
                            + (each.event() == null ? "" : each.from() + " " + each.event() + " ")
                            + each.state()
                            + (each.output() == null ? "" : " " + each.output())
                            + " "
                            + each.millis());
        }
        return lines;
    }

    void close() {
        stream.close();
    }
}
