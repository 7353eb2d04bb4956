/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A fuzzer that begins with inputs that are all refused finds nothing, and says nothing. */
class CorporaTest {

    static List<Method> fuzzTests() throws Exception {
        Path classes =
                Path.of(
                        CorporaTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        List<Method> tests = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith("FuzzTest.class"))
                            .sorted()
                            .toList()) {
                String name = classes.relativize(file).toString().replace(".class", "");
                Class<?> test = Class.forName(name.replace('/', '.'));
                tests.addAll(annotated(test, FuzzTest.class));
            }
        }
        assertThat(tests).hasSizeGreaterThan(20);
        return tests;
    }

    @ParameterizedTest
    @MethodSource("fuzzTests")
    void eachFuzzTestBeginsWithAnInputThatItsReaderAccepts(Method test) throws Exception {
        Class<?> owner = test.getDeclaringClass();
        invokeAll(owner, BeforeAll.class);
        try {
            Constructor<?> constructor = owner.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object instance = constructor.newInstance();
            test.setAccessible(true);
            long before = Reading.accepted();
            for (byte[] input : inputs(test)) {
                test.invoke(instance, (Object) input);
            }
            assertThat(Reading.accepted()).as("inputs that are accepted").isGreaterThan(before);
        } finally {
            invokeAll(owner, AfterAll.class);
        }
    }

    private static void invokeAll(Class<?> owner, Class<? extends Annotation> what)
            throws ReflectiveOperationException {
        for (Method method : annotated(owner, what)) {
            method.setAccessible(true);
            method.invoke(null);
        }
    }

    private static List<Method> annotated(Class<?> owner, Class<? extends Annotation> what) {
        return Arrays.stream(owner.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(what))
                .toList();
    }

    private static List<byte[]> inputs(Method test) throws Exception {
        Class<?> owner = test.getDeclaringClass();
        String folder = owner.getSimpleName() + "Inputs/" + test.getName();
        assertThat(owner.getResource(folder)).as("inputs of %s", test).isNotNull();
        URI inputs = owner.getResource(folder).toURI();
        try (Stream<Path> files = Files.list(Path.of(inputs))) {
            List<byte[]> all = new ArrayList<>();
            for (Path file : files.toList()) {
                all.add(Files.readAllBytes(file));
            }
            return all;
        }
    }
}
