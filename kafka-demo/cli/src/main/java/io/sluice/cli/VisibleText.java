/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.HexFormat;

/**
 * Text of other people's records, as a terminal may show it: characters that would move the cursor,
 * begin a line or a column, or hide others are escaped as in Java. Stateless.
 */
final class VisibleText {
    private VisibleText() {}

    /** Returns the text with such characters escaped. O(length). */
    static String of(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int type = Character.getType(c);
            if (Character.isISOControl(c)
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR) {
                visible.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                visible.append(c);
            }
        }
        return visible.toString();
    }
}
