/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job has to say of a checkpoint that is damaged. */
class DamageTest {
    private static final String FLINKS =
            "FlinkException: Could not restore keyed state backend for Reconcile_1_(3/4)\n";

    @TempDir Path folder;

    @BeforeEach
    void aCheckpoint() throws IOException {
        Files.write(folder.resolve("_metadata"), new byte[100]);
        Files.write(folder.resolve("state-1"), new byte[100]);
    }

    /** To the file with this name, one that is cut. */
    private Damage cut(String name) throws IOException {
        for (long seed = 0; ; seed++) {
            Damage damage = Damage.to(folder.toUri().toString(), false, new SplittableRandom(seed));
            if (damage.fileName().equals(name) && damage.toString().endsWith("was cut")) {
                return damage;
            }
            damage.repair();
        }
    }

    @Test
    void aRefusalThatNamesNothingIsNotEnough() throws IOException {
        Damage damage = cut("state-1");
        assertThat(Files.size(folder.resolve("state-1"))).isEqualTo(50);
        assertThat(damage.isNamedBy("Caused by: java.io.EOFException")).isFalse();
        assertThat(damage.isNamedBy(FLINKS + "Caused by: java.io.EOFException")).isFalse();
        assertThat(damage.isNamedBy("cannot read state-1: it ends after 50 bytes")).isTrue();
        damage.repair();
        assertThat(Files.size(folder.resolve("state-1"))).isEqualTo(100);
    }

    @Test
    void aFilterIsNamedByItsOperatorAndFlinksOwnStateBySubtask() throws IOException {
        Damage damage = cut("state-1");
        assertThat(damage.isNamedBy("CorruptFilterException: state of operator 'ids', key group 3"))
                .isTrue();
        assertThat(
                        damage.isNamedBy(
                                FLINKS
                                        + "BackendBuildingException: Failed when trying to restore"
                                        + " heap backend"))
                .isTrue();
    }

    @Test
    void ofMetadataThatAreCutFlinkSaysNothing() throws IOException {
        assertThat(cut("_metadata").isNamedBy("java.io.EOFException")).isTrue();
    }

    /** A job may well start without them. */
    @Test
    void optionsOfRocksDbAreNotDamaged() throws IOException {
        Files.writeString(
                folder.resolve("state-2"), "# This is a RocksDB option file.\n[Version]\n");
        for (long seed = 0; seed < 100; seed++) {
            Damage damage = Damage.to(folder.toUri().toString(), true, new SplittableRandom(seed));
            assertThat(damage.fileName()).isIn("_metadata", "state-1");
            damage.repair();
        }
    }
}
