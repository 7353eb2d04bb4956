/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

/** When a counter's value is emitted, where {@code emitEvery} gives no interval. */
public enum Emit {

    /** After every applied operation. */
    EVERY_UPDATE
}
