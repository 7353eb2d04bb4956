/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import java.io.PrintWriter;
import java.util.Locale;

/** What is told while a run goes on: lines with the time, and on a terminal one that changes. */
final class Screen {
    private final PrintWriter out;
    private final boolean isTerminal = Boolean.getBoolean("sluice.terminal");
    private final long start = System.nanoTime();
    private int shown;

    Screen(PrintWriter out) {
        this.out = out;
    }

    /** Prints a line that stays. */
    void line(String format, Object... values) {
        if (shown > 0) {
            out.print('\r' + " ".repeat(shown) + '\r');
            shown = 0;
        }
        out.println(text(format, values));
        out.flush();
    }

    /** Prints what the next line replaces; nothing where lines stay. */
    void progress(String format, Object... values) {
        if (isTerminal) {
            String text = text(format, values);
            out.print('\r' + text + " ".repeat(Math.max(0, shown - text.length())));
            out.flush();
            shown = text.length();
        }
    }

    private String text(String format, Object... values) {
        return String.format(
                Locale.ROOT,
                "[%6.1f s] %s",
                (System.nanoTime() - start) / 1e9,
                String.format(Locale.ROOT, format, values));
    }
}
