/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.run.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;

/**
 * The loops of all contenders, written once. Every structure gets its own copy of this class
 * ({@link #over}): the compiler profiles by class, so each copy sees one kind of structure and
 * inlines its operations, as if the loops had been written by hand for it. In one shared class, a
 * third kind would turn every operation of all kinds into a virtual call.
 */
final class Loops implements BulkOperations {
    private static final byte[] CODE = code();

    private final RatedStructure structure;

    Loops(RatedStructure structure) {
        this.structure = structure;
    }

    /** Loops over {@code structure} that share no profile with loops over other structures. */
    static BulkOperations over(RatedStructure structure) {
        try {
            return instance(
                    MethodHandles.lookup().defineHiddenClass(CODE, true).lookupClass(), structure);
        } catch (IllegalAccessException e) {
            throw cannotCopy(e);
        }
    }

    /** Loops over {@code structure} that share the profile of {@code loops}. */
    static BulkOperations like(BulkOperations loops, RatedStructure structure) {
        return instance(loops.getClass(), structure);
    }

    private static BulkOperations instance(Class<?> copy, RatedStructure structure) {
        try {
            return (BulkOperations)
                    copy.getDeclaredConstructor(RatedStructure.class).newInstance(structure);
        } catch (ReflectiveOperationException e) {
            throw cannotCopy(e);
        }
    }

    private static LinkageError cannotCopy(ReflectiveOperationException e) {
        return new LinkageError("a class of this package cannot be copied", e);
    }

    private static byte[] code() {
        try (InputStream in = Loops.class.getResourceAsStream("Loops.class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long insert(long from, long to) {
        for (long i = from; i < to; i++) {
            structure.insert(Keys.key(i));
        }
        return to - from;
    }

    @Override
    public long contains(Keys keys, long from, long count) {
        long hits = 0;
        for (long i = from; i < from + count; i++) {
            hits += structure.contains(keys.at(i)) ? 1 : 0;
        }
        return hits;
    }

    @Override
    public long addIfAbsent(Keys keys, long from, long count) {
        long added = 0;
        for (long i = from; i < from + count; i++) {
            added += structure.addIfAbsent(keys.at(i)) ? 1 : 0;
        }
        return added;
    }

    @Override
    public long remove(long from, long to) {
        RemovableStructure removable = (RemovableStructure) structure;
        long removed = 0;
        for (long i = from; i < to; i++) {
            removed += removable.remove(Keys.key(i)) ? 1 : 0;
        }
        return removed;
    }
}
