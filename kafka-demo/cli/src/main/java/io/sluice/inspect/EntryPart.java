/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import javax.annotation.Nullable;

/**
 * Which entries of a key group are exchanged.
 *
 * @param name of the state, empty where there is one
 * @param hashBits of flags; 0 for others
 */
record EntryPart(Kind kind, String name, int hashBits) {

    enum Kind {
        TOTALS(1),
        MACHINES(2),
        VALUES(3),
        FLAGS(4);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Nullable
        private static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return null;
        }
    }

    static final EntryPart TOTALS = new EntryPart(Kind.TOTALS, "", 0);
    static final EntryPart MACHINES = new EntryPart(Kind.MACHINES, "", 0);

    void write(DataOutputStream to) throws IOException {
        to.writeByte(kind.code);
        WireText.write(name, to);
        to.writeByte(hashBits);
    }

    static EntryPart read(DataInputStream from) throws IOException {
        Kind kind = Kind.of(from.readByte());
        String name = WireText.read(from);
        int hashBits = from.readByte();
        if (kind == null || hashBits < 0 || hashBits > Long.SIZE) {
            throw new IOException("the other side asks for what there is not");
        }
        return new EntryPart(kind, name, hashBits);
    }
}
