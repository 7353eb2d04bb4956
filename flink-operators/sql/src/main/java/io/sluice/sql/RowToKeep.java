/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

/** Which row of a key is kept. */
enum RowToKeep {
    FIRST,
    LAST
}
