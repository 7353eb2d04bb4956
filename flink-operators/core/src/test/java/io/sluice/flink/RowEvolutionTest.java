/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes of rows in a savepoint whose record has changed since: what the next release may do
 * to the record of a row. Each version of the record is compiled here and has its own class loader.
 */
class RowEvolutionTest {

    private static final String OLD = "long window, String outcome, int rounds";

    @TempDir Path folder;

    /** A version of the record {@code Row}, and its serializer. */
    private record Version(ClassLoader classes, Class<?> type, TypeSerializer<Object> serializer) {

        @SuppressWarnings("unchecked")
        static Version of(Path folder, String components) throws Exception {
            Path source =
                    Files.writeString(
                            Files.createDirectories(folder).resolve("Row.java"),
                            "public record Row(" + components + ") {}");
            int result =
                    ToolProvider.getSystemJavaCompiler()
                            .run(null, null, null, "-d", folder.toString(), source.toString());
            assertThat(result).isZero();
            ClassLoader classes = new URLClassLoader(new URL[] {folder.toUri().toURL()});
            Class<?> type = classes.loadClass("Row");
            TypeInformation<Object> info = (TypeInformation<Object>) Types.POJO(type);
            return new Version(classes, type, info.createSerializer(new SerializerConfigImpl()));
        }

        Object row(Object... values) throws Exception {
            return type.getDeclaredConstructors()[0].newInstance(values);
        }
    }

    /** The row of the old version as the new version reads it from a savepoint. */
    private String migrated(Version old, Object row, Version now) throws Exception {
        TypeSerializerSnapshot<Object> snapshot =
                RowContract.readSnapshot(RowContract.writeSnapshot(old.serializer), now.classes);
        TypeSerializerSchemaCompatibility<Object> compatibility =
                now.serializer.snapshotConfiguration().resolveSchemaCompatibility(snapshot);
        assertThat(compatibility.isCompatibleAfterMigration()).isTrue();
        Object read =
                RowContract.read(
                        snapshot.restoreSerializer(), RowContract.write(old.serializer, row));
        assertThat(read).isInstanceOf(now.type);
        byte[] rewritten = RowContract.write(now.serializer, read);
        assertThat(RowContract.read(now.serializer, rewritten)).isEqualTo(read);
        return read.toString();
    }

    /** Keeps the row that it is made with, and emits as text the row that is kept. */
    private static final class Keep extends KeyedProcessFunction<Integer, Boolean, String> {
        private final transient Version version;
        private final transient Object row;
        private transient ValueState<Object> state;

        Keep(Version version, Object row) {
            this.version = version;
            this.row = row;
        }

        @Override
        public void open(OpenContext context) {
            state =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("row", version.serializer));
        }

        @Override
        public void processElement(Boolean writes, Context context, Collector<String> out)
                throws Exception {
            if (writes) {
                state.update(row);
            }
            out.collect(state.value().toString());
        }
    }

    private static KeyedOneInputStreamOperatorTestHarness<Integer, Boolean, String> operator(
            Version version, Object row, Backends backend) throws Exception {
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(new Keep(version, row)),
                        unused -> 1,
                        Types.INT,
                        new MockEnvironmentBuilder()
                                .setManagedMemorySize(32L << 20)
                                .setUserCodeClassLoader(version.classes)
                                .build());
        harness.setStateBackend(backend.get());
        harness.setup();
        return harness;
    }

    @SuppressWarnings("try") // an interrupt may end the test
    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void aSavepointWithRowsInStateIsMigrated(Backends backend) throws Exception {
        Version old = version(OLD);
        OperatorSubtaskState savepoint;
        try (var harness = operator(old, old.row(60_000L, "AGREED", 2), backend)) {
            harness.open();
            harness.processElement(true, 0);
            savepoint = harness.snapshot(1, 1);
        }
        Version now = version("int rounds, long window, String outcome, long sent");
        try (var harness = operator(now, null, backend)) {
            harness.initializeState(savepoint);
            harness.open();
            harness.processElement(false, 0);
            assertThat(harness.extractOutputValues())
                    .containsExactly("Row[rounds=2, window=60000, outcome=AGREED, sent=0]");
        }
    }

    private Version version(String components) throws Exception {
        return Version.of(folder.resolve(String.valueOf(components.hashCode())), components);
    }

    @Test
    void aNewComponentIsZeroOrNull() throws Exception {
        Version old = version(OLD);
        Version now = version("long window, int group, String outcome, String note, int rounds");
        assertThat(migrated(old, old.row(60_000L, "AGREED", 2), now))
                .isEqualTo("Row[window=60000, group=0, outcome=AGREED, note=null, rounds=2]");
    }

    @Test
    void aRemovedComponentIsSkipped() throws Exception {
        Version old = version(OLD);
        Version now = version("long window, int rounds");
        assertThat(migrated(old, old.row(60_000L, "AGREED", 2), now))
                .isEqualTo("Row[window=60000, rounds=2]");
    }

    @Test
    void anotherOrderOfComponentsIsTheSameRow() throws Exception {
        Version old = version(OLD);
        Version now = version("String outcome, int rounds, long window");
        TypeSerializerSnapshot<Object> snapshot =
                RowContract.readSnapshot(RowContract.writeSnapshot(old.serializer), now.classes);
        byte[] bytes = RowContract.write(old.serializer, old.row(60_000L, "AGREED", 2));
        assertThat(RowContract.read(snapshot.restoreSerializer(), bytes))
                .hasToString("Row[outcome=AGREED, rounds=2, window=60000]");
        assertThat(RowContract.read(now.serializer, bytes))
                .hasToString("Row[outcome=AGREED, rounds=2, window=60000]");
    }

    @Test
    void aComponentOfAnotherTypeIsRefused() throws Exception {
        Version old = version(OLD);
        Version now = version("long window, String outcome, String rounds");
        TypeSerializerSnapshot<Object> snapshot =
                RowContract.readSnapshot(RowContract.writeSnapshot(old.serializer), now.classes);
        assertThat(
                        now.serializer
                                .snapshotConfiguration()
                                .resolveSchemaCompatibility(snapshot)
                                .isIncompatible())
                .isTrue();
    }

    /**
     * Flink finds components by their position instead of their names if those that are left are
     * declared in alphabetical order. It never takes one value for another.
     */
    @Test
    void aRemovalThatLeavesAnAlphabeticalOrderFailsTheRestore() throws Exception {
        Version old = version("int after, int before, int window");
        Version now = version("int after, int window");
        assertThatThrownBy(() -> migrated(old, old.row(1, 2, 3), now))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }
}
