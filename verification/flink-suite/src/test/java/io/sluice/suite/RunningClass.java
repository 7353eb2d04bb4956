/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.util.Set;

/** The class of tests that runs now: static, because backends are made in other threads. */
final class RunningClass {

    private static final Set<String> GETS_WHAT_IT_ASKS_FOR =
            Set.copyOf(Selection.named("as-asked"));

    private static volatile String name = "";

    private RunningClass() {}

    static void is(String className) {
        name = className;
    }

    /** Whether the delegate has to be the backend that the tests of this class ask for. */
    static boolean getsWhatItAsksFor() {
        return GETS_WHAT_IT_ASKS_FOR.contains(name);
    }
}
