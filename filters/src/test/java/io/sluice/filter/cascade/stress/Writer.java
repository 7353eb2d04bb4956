/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.stress;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeSnapshot;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * A process that does one operation after the other until it is killed, and checks every answer.
 *
 * <p>Prints {@code opening}, and after each flush the number of the next operation: what a process
 * has given to the system survives its death, so the reader gets every line.
 */
final class Writer {
    static final String OPENING = "opening";

    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private Writer() {}

    /**
     * Runs until it is killed.
     *
     * @param arguments directory, seed of {@link Operations}, number of the first operation
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Operations operations = new Operations(Long.parseLong(arguments[1]));
        long first = Long.parseLong(arguments[2]);
        BitSet held = operations.after(first);
        say(OPENING);
        try (CascadeFilter filter = CascadeFilter.open(directory, Operations.options())) {
            for (long i = first; ; i++) {
                perform(operations, i, filter, held);
                if (operations.kind(i) == Operations.Kind.FLUSH) {
                    say(Long.toString(i + 1));
                }
            }
        }
    }

    /** Writes a line in one piece: a pipe takes that few bytes whole or not at all. */
    private static void say(String line) throws IOException {
        OUT.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static void perform(Operations operations, long i, CascadeFilter filter, BitSet held)
            throws IOException {
        int key = operations.key(i);
        int keyGroup = Operations.keyGroup(key);
        long hash = Operations.hash(key);
        boolean before = held.get(key);
        operations.apply(i, held);
        switch (operations.kind(i)) {
            case ADD_IF_ABSENT -> expect(!before, filter.add(keyGroup, hash), i, "absent");
            case ADD -> filter.insert(keyGroup, hash);
            case REMOVE -> expect(before, filter.remove(keyGroup, hash), i, "there");
            case FLUSH -> filter.flush();
            case SNAPSHOT -> {
                try (CascadeSnapshot snapshot = filter.snapshot()) {
                    snapshot.prepare();
                }
            }
        }
    }

    private static void expect(boolean expected, boolean answer, long i, String what) {
        if (answer != expected) {
            throw new IllegalStateException(
                    "operation " + i + ": " + what + " should be " + expected);
        }
    }
}
