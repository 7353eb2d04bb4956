/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

/** Finds the exception that tells a user why a job failed, below those of Flink around it. */
final class FailureCause {
    private static final String OURS = "io.sluice.";

    private FailureCause() {}

    /**
     * Returns the innermost exception of Sluice's own, whose message says what to do and whose
     * cause is a detail. Without one it is the innermost exception that has a message, or else the
     * innermost of all.
     */
    static Throwable of(Throwable failure) {
        Throwable ours = null;
        Throwable told = null;
        Throwable innermost = failure;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            innermost = each;
            if (each.getMessage() != null) {
                told = each;
                ours = isOurs(each) ? each : ours;
            }
        }
        if (ours != null) {
            return ours;
        }
        return told != null ? told : innermost;
    }

    /** Returns one line: the message of an exception of Sluice's, or the class and message. */
    static String line(Throwable failure) {
        Throwable cause = of(failure);
        String text = isOurs(cause) ? cause.getMessage() : cause.toString();
        return text.lines().findFirst().orElse("");
    }

    private static boolean isOurs(Throwable each) {
        return each.getMessage() != null && each.getClass().getName().startsWith(OURS);
    }
}
