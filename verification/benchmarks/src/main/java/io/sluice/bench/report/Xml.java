/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

/** Text inside an image. */
final class Xml {

    private Xml() {}

    /** For elements and for attributes in double quotes. */
    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
