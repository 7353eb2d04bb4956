/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.PrintWriter;

/**
 * Where progress is printed. On a terminal a line of progress replaces the one before; elsewhere,
 * in a log, each stays. The script {@code sluice} says which, by the system property {@value
 * #TERMINAL}.
 */
final class ProgressLine {
    static final String TERMINAL = "sluice.terminal";

    private final PrintWriter out;
    private final boolean terminal;

    /** Characters of the line that the next one replaces; 0 if there is none. */
    private int shown;

    ProgressLine(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Progress to {@code out}, as standard output is. */
    static ProgressLine to(PrintWriter out) {
        return new ProgressLine(out, Boolean.getBoolean(TERMINAL));
    }

    /** Whether a line of progress is replaced by the next one. */
    boolean isOverwritten() {
        return terminal;
    }

    /** Prints a line that the next one may replace. */
    void replace(String text) {
        if (terminal) {
            out.print('\r' + padded(text));
            shown = text.length();
        } else {
            out.println(text);
        }
        out.flush();
    }

    /** Prints a line that stays. */
    void keep(String text) {
        if (shown > 0) {
            out.print('\r');
        }
        out.println(padded(text));
        shown = 0;
        out.flush();
    }

    /** Ends a line that could have been replaced; it stays. */
    void end() {
        if (shown > 0) {
            out.println();
            shown = 0;
            out.flush();
        }
    }

    /** Blanks over what is left of a longer line. */
    private String padded(String text) {
        return text + " ".repeat(Math.max(0, shown - text.length()));
    }
}
