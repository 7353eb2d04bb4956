/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.filter.storage.Directory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Files that no list names, when a filter is opened. */
class LeftoversTest {

    private final CrashableDirectory files = new CrashableDirectory();

    @Test
    void areDeleted() throws Exception {
        String leftover = CascadeFileNames.level(7, 1);
        files.put(leftover, new byte[1]);
        CascadeFilter.open(files, CascadeOptions.builder().build()).close();
        assertThat(files.list()).doesNotContain(leftover);
    }

    /** The snapshot of a filter that is closed deletes its files when it is closed itself. */
    @Test
    void mayBeDeletedBySomeoneElseMeanwhile() throws Exception {
        String leftover = CascadeFileNames.level(7, 1);
        files.put(leftover, new byte[1]);
        Directory late =
                (Directory)
                        Proxy.newProxyInstance(
                                Directory.class.getClassLoader(),
                                new Class<?>[] {Directory.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("delete")) {
                                        files.delete(leftover);
                                    }
                                    return invoke(method, arguments);
                                });
        CascadeFilter.open(late, CascadeOptions.builder().build()).close();
        assertThat(files.list()).doesNotContain(leftover);
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(files, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
