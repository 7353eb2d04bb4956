/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The first class of every child: runs another main class, and ends this JVM when the process that
 * started it is gone, whatever ended that one.
 */
public final class Child {
    private static final int ORPHANED = 143;

    private Child() {}

    /** Returns the arguments with which this class runs {@code mainClass} with its arguments. */
    static List<String> arguments(String mainClass, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(mainClass));
        all.addAll(arguments);
        return all;
    }

    /**
     * Runs a program.
     *
     * @param arguments the name of a main class, then its arguments
     */
    public static void main(String[] arguments) throws Throwable {
        ProcessHandle parent =
                ProcessHandle.current()
                        .parent()
                        .orElseThrow(() -> new IllegalStateException("there is no parent"));
        var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(ORPHANED));
        try {
            Class.forName(arguments[0])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
