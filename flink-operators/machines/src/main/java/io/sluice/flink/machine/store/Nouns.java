/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.io.Serializable;
import java.util.Locale;
import org.apache.flink.annotation.Internal;

/**
 * How messages and descriptions of options call what is followed.
 *
 * @param event what moves it, in the singular: event, packet
 * @param machine what is held, in the singular: machine, flow
 */
@Internal
public record Nouns(String event, String machine) implements Serializable {

    /** Returns the events in the plural. */
    public String events() {
        return event + "s";
    }

    /** Returns the machines in the plural. */
    public String machines() {
        return machine + "s";
    }

    /** Returns the machines in the plural, as the first word of a sentence. */
    public String capital() {
        return machine.substring(0, 1).toUpperCase(Locale.ROOT) + machine.substring(1) + "s";
    }
}
