/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the jar for {@code lib/} contains, and what it must not contain. */
class OneJarIT {

    private JarFile jar;

    @BeforeEach
    void open() throws IOException {
        jar = new JarFile(OneJar.path().toFile());
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    private List<String> classes() {
        return jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")).toList();
    }

    private String text(String entry) throws IOException {
        JarEntry found = jar.getJarEntry(entry);
        assertThat(found).as(entry).isNotNull();
        try (InputStream in = jar.getInputStream(found)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void allClassesAreOfSluiceAndNoneOfFlink() {
        assertThat(classes())
                .isNotEmpty()
                .allMatch(name -> name.startsWith("io/sluice/"))
                .contains(
                        "io/sluice/state/CascadeStateBackendFactory.class",
                        "io/sluice/flink/dedup/Deduplicate.class",
                        "io/sluice/flink/machine/MachineDefinition.class",
                        "io/sluice/sql/SluiceModule.class",
                        "io/sluice/filter/forgetful/ForgetfulFilter.class");
    }

    @Test
    void hash4jIsRelocatedInEveryClassThatUsesIt() throws IOException {
        assertThat(classes()).anyMatch(name -> name.startsWith("io/sluice/shaded/hash4j/"));
        List<String> notRelocated = new ArrayList<>();
        for (String name : classes()) {
            try (InputStream in = jar.getInputStream(jar.getJarEntry(name))) {
                // A class names others in its constant pool, which is readable as Latin-1.
                if (new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
                        .contains("com/dynatrace/hash4j")) {
                    notRelocated.add(name);
                }
            }
        }
        assertThat(notRelocated).isEmpty();
    }

    /**
     * Nor is anything of it missing: each class that another one names is there, or is the JDK's.
     */
    @Test
    void onlyWhatHashesIsThereOfHash4j() throws Exception {
        List<String> ofHash4j =
                classes().stream()
                        .filter(name -> name.startsWith("io/sluice/shaded/hash4j/"))
                        .toList();
        assertThat(ofHash4j)
                .contains("io/sluice/shaded/hash4j/hashing/XXH3_64.class")
                .allMatch(
                        name ->
                                name.startsWith("io/sluice/shaded/hash4j/hashing/")
                                        || name.startsWith("io/sluice/shaded/hash4j/internal/"));
        try (URLClassLoader alone =
                new URLClassLoader(
                        new URL[] {OneJar.path().toUri().toURL()},
                        ClassLoader.getPlatformClassLoader())) {
            for (String name : ofHash4j) {
                Class<?> loaded =
                        Class.forName(
                                name.substring(0, name.length() - ".class".length())
                                        .replace('/', '.'),
                                true,
                                alone);
                assertThat(loaded.getDeclaredMethods()).isNotNull();
            }
            Class<?> hashing = alone.loadClass("io.sluice.filter.hash.Hashing");
            assertThat(hashing.getMethod("hash", byte[].class).invoke(null, new byte[100]))
                    .isEqualTo(
                            com.dynatrace.hash4j.hashing.Hashing.xxh3_64()
                                    .hashBytesToLong(new byte[100]));
        }
    }

    @Test
    void flinkFindsTheModule() throws IOException {
        assertThat(text("META-INF/services/org.apache.flink.table.factories.Factory").strip())
                .isEqualTo("io.sluice.sql.SluiceModuleFactory");
    }

    @Test
    void itSaysWhoseItIsAndWhichVersion() throws IOException {
        Attributes manifest = jar.getManifest().getMainAttributes();
        assertThat(manifest.getValue("Implementation-Version"))
                .isNotBlank()
                .isEqualTo(OneJar.version());
        assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("io.sluice");
        assertThat(text("META-INF/LICENSE")).contains("Apache License", "Version 2.0");
        assertThat(text("META-INF/NOTICE"))
                .contains("Sluice", "com.dynatrace.hash4j:hash4j", "Dynatrace LLC");
        assertThat(text("META-INF/LICENSE-bundled"))
                .contains("Dynatrace LLC", "Yann Collet", "Higher Frequency Trading")
                .contains("BSD License", "MIT License", "zlib License");
    }

    /** Maven's files of the parts, signatures and descriptors would be wrong for the whole. */
    @Test
    void nothingElseIsInIt() {
        assertThat(jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName))
                .filteredOn(name -> !name.endsWith(".class"))
                .containsExactlyInAnyOrder(
                        "META-INF/MANIFEST.MF",
                        "META-INF/LICENSE",
                        "META-INF/LICENSE-bundled",
                        "META-INF/NOTICE",
                        "META-INF/services/org.apache.flink.table.factories.Factory");
    }
}
