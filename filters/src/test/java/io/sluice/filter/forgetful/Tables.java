/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.plane.Layout;

/** The layouts that a window may have. */
final class Tables {
    static final Layout[] LAYOUTS = {Layout.FINGERPRINTS, Layout.QUOTIENT};

    private Tables() {}
}
