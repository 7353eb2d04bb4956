/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.file.Entries;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Which entries of a key group are exchanged.
 *
 * @param name of the state, empty where there is one
 * @param hashBits of flags; 0 for others
 */
record EntryPart(Kind kind, String name, int hashBits) {

    enum Kind {
        TOTALS,
        MACHINES,
        VALUES,
        FLAGS
    }

    static final EntryPart TOTALS = new EntryPart(Kind.TOTALS, "", 0);
    static final EntryPart MACHINES = new EntryPart(Kind.MACHINES, "", 0);

    void write(DataOutputStream to) throws IOException {
        WireText.write(kind.name(), to);
        WireText.write(name, to);
        to.writeByte(hashBits);
    }

    static EntryPart read(DataInputStream from) throws IOException {
        String kind = WireText.read(from);
        String name = WireText.read(from);
        int hashBits = from.readByte();
        if (hashBits < 0 || hashBits > Entries.MAX_HASH_BITS) {
            throw new IOException("fingerprints of " + hashBits + " bits cannot be");
        }
        try {
            return new EntryPart(Kind.valueOf(kind), name, hashBits);
        } catch (IllegalArgumentException e) {
            throw new IOException("there are no entries of the kind " + kind, e);
        }
    }
}
