/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.filter.format.FilterReader;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoredStates;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.annotation.Internal;

/**
 * The machines of a key group that was written.
 *
 * @param ids how many ids a machine may have; 0 for all of 64 bits
 * @param states the name of the state of each machine, by its id
 */
@Internal
public record StoredMachines(long ids, Map<Long, String> states) {

    /** How the layout of each operator with a store names it. */
    private static final Pattern STORE = Pattern.compile("store=(\\w+)");

    /** Returns whether {@link Machines} wrote state of this layout. */
    public static boolean areIn(String layout) {
        return layout.startsWith(MachineOperator.LAYOUT);
    }

    /** Returns the store of a layout. */
    public static StoreKind store(String layout) {
        Matcher named = STORE.matcher(layout);
        if (!named.find()) {
            throw new IllegalArgumentException("'" + layout + "' has no store");
        }
        return StoreKind.valueOf(named.group(1));
    }

    /**
     * Reads what {@link Machines} wrote.
     *
     * @param source what is read, for messages
     * @param kind of the store: not of filters, which cannot list what they hold
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static StoredMachines readFrom(InputStream in, String source, StoreKind kind)
            throws IOException {
        FilterReader reader = MachineGroupFormat.open(in, source);
        List<String> names = MachineGroupFormat.StoredNames.of(reader).names();
        reader.checkPayload();
        return readFrom(in, source, kind, names);
    }

    /** Reads a store whose states have these names. */
    public static StoredMachines readFrom(
            InputStream in, String source, StoreKind kind, List<String> names) throws IOException {
        Map<Long, String> states = new HashMap<>();
        long ids =
                StoredStates.forEach(
                        in,
                        source,
                        kind,
                        names.size(),
                        (id, state) -> states.put(id, names.get(state)));
        return new StoredMachines(ids, states);
    }
}
