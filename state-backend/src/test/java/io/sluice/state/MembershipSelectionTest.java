/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.testutils.logging.LoggerAuditingExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.event.Level;

/** Which states are approximate when nothing is configured. */
class MembershipSelectionTest {

    @TempDir Path directory;

    @RegisterExtension
    final LoggerAuditingExtension log =
            new LoggerAuditingExtension(CascadeKeyedStateBackend.class, Level.INFO);

    private Subtask<Long> start() throws Exception {
        return Subtask.ofLongs("hashmap", directory, List.of());
    }

    private static boolean isApproximate(ValueState<?> state) {
        return state instanceof AbstractMembershipState;
    }

    /** The names are those of Flink 2.3; the third is a trigger's, which also says "not seen". */
    @ParameterizedTest
    @CsvSource({
        "deduplicate-state, true",
        "already-emitted-state-boolean, true",
        "eventTime-afterEOW, false",
        "seen, false"
    })
    void onlyTheFlagsOfKeepFirstAreApproximateByDefault(String name, boolean expected)
            throws Exception {
        try (Subtask<Long> task = start()) {
            ValueState<Boolean> state = task.state(new ValueStateDescriptor<>(name, Types.BOOLEAN));
            assertThat(isApproximate(state)).isEqualTo(expected);
        }
        try (Subtask<Long> task = start()) {
            ValueStateDescriptor<Boolean> lasting = new ValueStateDescriptor<>(name, Types.BOOLEAN);
            lasting.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
            task.state(lasting);
            task.checkpoint(1, new SharedStateRegistryImpl());
            // With a time-to-live the state is wrapped; the log tells which it is.
            assertThat(says()).isEqualTo(expected ? 0 : 1);
        }
    }

    /** Keep-last has a state of the same name, with rows in it. */
    @Test
    void aStateOfRowsIsExactWhateverItsName() throws Exception {
        try (Subtask<Long> task = start()) {
            assertThat(
                            isApproximate(
                                    task.state(
                                            new ValueStateDescriptor<>(
                                                    "deduplicate-state",
                                                    Types.ROW(Types.LONG, Types.STRING)))))
                    .isFalse();
        }
    }

    @Test
    void aJobThatTheBackendDoesNothingForHearsOfItOnce() throws Exception {
        try (Subtask<Long> task = start()) {
            task.state(new ValueStateDescriptor<>("count", Types.LONG));
            for (long checkpoint = 1; checkpoint <= 3; checkpoint++) {
                task.checkpoint(checkpoint, new SharedStateRegistryImpl());
            }
        }
        assertThat(says()).isEqualTo(1);
    }

    private <K, V> MapState<K, V> map(Subtask<Long> task, MapStateDescriptor<K, V> descriptor)
            throws Exception {
        task.backend().setCurrentKey(1L);
        return task.backend()
                .getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private Subtask<Long> start(String states, String mapStates) throws Exception {
        Configuration configuration = Subtask.configuration("hashmap");
        configuration.setString(CascadeBackendOptions.STATES.key(), states);
        configuration.setString(CascadeBackendOptions.MAP_STATES.key(), mapStates);
        return Subtask.ofLongs(
                new CascadeStateBackend().configure(configuration, getClass().getClassLoader()),
                directory,
                List.of());
    }

    private void assertSaysOnce(String message) {
        assertThat(log.getMessages()).filteredOn(message::equals).hasSize(1);
    }

    @Test
    void noMapIsApproximateByDefaultWhateverItsName() throws Exception {
        try (Subtask<Long> task = start()) {
            for (String name : CascadeBackendOptions.STATES.defaultValue()) {
                assertThat(
                                map(
                                        task,
                                        new MapStateDescriptor<>(
                                                name + "-map", Types.STRING, Types.BOOLEAN)))
                        .isNotInstanceOf(AbstractMembershipState.class);
            }
            MapState<String, Boolean> map =
                    map(
                            task,
                            new MapStateDescriptor<>(
                                    "deduplicate-state", Types.STRING, Types.BOOLEAN));
            map.put("a", false);
            assertThat(map.keys()).containsExactly("a");
        }
    }

    @Test
    void theOptionOfValuesDoesNotSelectMapsNorTheOtherWayRound() throws Exception {
        try (Subtask<Long> task = start("one", "two")) {
            assertThat(map(task, new MapStateDescriptor<>("one", Types.STRING, Types.BOOLEAN)))
                    .isNotInstanceOf(AbstractMembershipState.class);
            assertThat(isApproximate(task.state(new ValueStateDescriptor<>("two", Types.BOOLEAN))))
                    .isFalse();
        }
    }

    @Test
    void onlyMapsOfBooleansAreSelected() throws Exception {
        try (Subtask<Long> task = start("*", "*")) {
            assertThat(map(task, new MapStateDescriptor<>("a", Types.STRING, Types.BOOLEAN)))
                    .isInstanceOf(MembershipMapState.class);
            assertThat(map(task, new MapStateDescriptor<>("b", Types.STRING, Types.LONG)))
                    .isNotInstanceOf(AbstractMembershipState.class);
        }
    }

    static List<TypeInformation<?>> keysWithFixedBytes() {
        return List.of(
                Types.LONG,
                Types.INT,
                Types.STRING,
                Types.PRIMITIVE_ARRAY(Types.BYTE),
                Types.SHORT,
                Types.INSTANT,
                Types.TUPLE(Types.STRING, Types.TUPLE(Types.LONG, Types.INT)));
    }

    @ParameterizedTest
    @MethodSource("keysWithFixedBytes")
    void mapsAreApproximateIfTheBytesOfTheirKeysAreFixed(TypeInformation<?> keys) throws Exception {
        try (Subtask<Long> task = start("", "*")) {
            assertThat(map(task, new MapStateDescriptor<>("map", keys, Types.BOOLEAN)))
                    .isInstanceOf(MembershipMapState.class);
        }
    }

    static List<TypeInformation<?>> otherKeys() {
        return List.of(
                Types.GENERIC(UUID.class),
                Types.ENUM(Level.class),
                Types.ROW(Types.LONG),
                Types.TUPLE(Types.STRING, Types.GENERIC(UUID.class)),
                // Its scheme does not name the serializer of the second field.
                Types.TUPLE(Types.STRING, Types.SHORT));
    }

    @ParameterizedTest
    @MethodSource("otherKeys")
    void otherMapsStayExactAndTheLogSaysWhy(TypeInformation<?> keys) throws Exception {
        try (Subtask<Long> task = start("", "*")) {
            assertThat(map(task, new MapStateDescriptor<>("map", keys, Types.BOOLEAN)))
                    .isNotInstanceOf(AbstractMembershipState.class);
        }
        assertThat(log.getMessages())
                .filteredOn(
                        message ->
                                message.startsWith(
                                        "State 'map' is kept by the delegate and exact, because the"
                                                + " keys of the map are written by "))
                .hasSize(1);
    }

    @Test
    void theLogSaysOnceWhereEachStateOfBooleansIsKeptAndWhy() throws Exception {
        try (Subtask<Long> task = start("one;more-*", "two")) {
            for (int i = 0; i < 2; i++) {
                for (String name : List.of("one", "more-of-it", "other")) {
                    task.state(new ValueStateDescriptor<>(name, Types.BOOLEAN));
                }
                task.state(new MembershipStateDescriptor("described"));
                task.state(new ValueStateDescriptor<>("count", Types.LONG));
                for (String name : List.of("two", "three")) {
                    map(task, new MapStateDescriptor<>(name, Types.STRING, Types.BOOLEAN));
                }
                map(task, new MapStateDescriptor<>("names", Types.STRING, Types.STRING));
            }
        }
        String filter = "' is kept in a filter and approximate, because ";
        String delegate = "' is kept by the delegate and exact, because its name is not in ";
        String states = CascadeBackendOptions.STATES.key() + '.';
        String mapStates = CascadeBackendOptions.MAP_STATES.key() + '.';
        assertSaysOnce("State 'one" + filter + "its name is in " + states);
        assertSaysOnce("State 'more-of-it" + filter + "its name is in " + states);
        assertSaysOnce("State 'described" + filter + "a MembershipStateDescriptor describes it.");
        assertSaysOnce("State 'two" + filter + "its name is in " + mapStates);
        assertSaysOnce("State 'other" + delegate + states);
        assertSaysOnce("State 'three" + delegate + mapStates);
        assertThat(log.getMessages())
                .filteredOn(message -> message.contains("' is kept "))
                .hasSize(6);
    }

    private long says() {
        return log.getMessages().stream()
                .filter(message -> message.startsWith("No state of this operator is kept in"))
                .filter(message -> message.contains(CascadeBackendOptions.STATES.key()))
                .count();
    }
}
