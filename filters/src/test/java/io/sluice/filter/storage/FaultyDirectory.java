/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Wraps another directory, with one planned fault: the n-th operation of a kind fails, or lies. A
 * failed operation throws an {@link InjectedFault}.
 */
public final class FaultyDirectory implements Directory {

    /** What may fail. */
    public enum Operation {
        CREATE,
        OPEN,
        LIST,
        LENGTH,
        RENAME,
        DELETE,
        SYNC_DIRECTORY,
        LOCK,
        WRITE,
        SYNC_FILE,
        READ;

        /** All of them. */
        public static Set<Operation> all() {
            return EnumSet.allOf(Operation.class);
        }
    }

    /** How it fails. */
    public enum Fault {

        /** Nothing is done, except that a write does its first half. */
        FAIL,

        /** All is done, but the answer is a failure. */
        FAIL_AFTERWARDS,

        /** As {@link #FAIL}, and nothing is done after it: the process is dead. */
        STOP,

        /** As {@link #FAIL}, and no CREATE and no WRITE is done after it. */
        DISK_FULL,

        /** One bit of what is read is wrong; nothing fails. For READ alone. */
        FLIP_BIT
    }

    /** The planned failure. */
    public static final class InjectedFault extends IOException {
        private static final long serialVersionUID = 1;

        private InjectedFault(Fault fault, Operation operation, String name) {
            super("injected: " + fault + " at " + operation + " of " + name);
        }
    }

    private static final Set<Operation> NEEDS_ROOM = EnumSet.of(Operation.CREATE, Operation.WRITE);

    private final Directory inner;

    /** Null if there is none, or it has happened. Guarded by this, like all fields below. */
    private Fault fault;

    private Set<Operation> planned = EnumSet.noneOf(Operation.class);
    private long countdown;
    private int bit;
    private Set<Operation> failing = EnumSet.noneOf(Operation.class);
    private long operations;
    private boolean happened;

    public FaultyDirectory(Directory inner) {
        this.inner = inner;
    }

    /** Plans a fault, in place of any other, for the {@code nth} of the operations, from 0. */
    public synchronized void plan(Fault newFault, Set<Operation> of, long nth) {
        fault = newFault;
        planned = EnumSet.copyOf(of);
        countdown = nth;
        failing = EnumSet.noneOf(Operation.class);
        happened = false;
    }

    /** As {@link #plan}: bit {@code bitIndex}, modulo what is read, of the {@code nth} read. */
    public synchronized void planFlip(long nth, int bitIndex) {
        plan(Fault.FLIP_BIT, EnumSet.of(Operation.READ), nth);
        bit = bitIndex;
    }

    /** Everything works again. */
    public synchronized void heal() {
        fault = null;
        failing = EnumSet.noneOf(Operation.class);
    }

    /** Whether the planned fault has happened. */
    public synchronized boolean happened() {
        return happened;
    }

    /** Operations so far, including failed ones. */
    public synchronized long operations() {
        return operations;
    }

    /** The fault for this operation, or null; an exception if the fault was an earlier one. */
    private synchronized Fault next(Operation operation, String name) throws InjectedFault {
        operations++;
        if (failing.contains(operation)) {
            throw new InjectedFault(Fault.FAIL, operation, name);
        }
        if (fault == null || !planned.contains(operation) || countdown-- > 0) {
            return null;
        }
        Fault now = fault;
        fault = null;
        happened = true;
        if (now == Fault.STOP) {
            failing = Operation.all();
        } else if (now == Fault.DISK_FULL) {
            failing = NEEDS_ROOM;
        }
        return now;
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    private <T> T run(Operation operation, String name, Action<T> action) throws IOException {
        Fault now = next(operation, name);
        if (now == null) {
            return action.run();
        }
        if (now == Fault.FAIL_AFTERWARDS) {
            action.run();
        }
        throw new InjectedFault(now, operation, name);
    }

    @Override
    public WritableFile create(String name) throws IOException {
        return run(Operation.CREATE, name, () -> new Writing(name, inner.create(name)));
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return run(Operation.OPEN, name, () -> new Reading(name, inner.open(name)));
    }

    @Override
    public List<String> list() throws IOException {
        return run(Operation.LIST, toString(), inner::list);
    }

    @Override
    public long length(String name) throws IOException {
        return run(Operation.LENGTH, name, () -> inner.length(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        run(
                Operation.RENAME,
                from,
                () -> {
                    inner.rename(from, to);
                    return to;
                });
    }

    @Override
    public void delete(String name) throws IOException {
        run(
                Operation.DELETE,
                name,
                () -> {
                    inner.delete(name);
                    return name;
                });
    }

    @Override
    public void sync() throws IOException {
        run(
                Operation.SYNC_DIRECTORY,
                toString(),
                () -> {
                    inner.sync();
                    return this;
                });
    }

    @Override
    public DirectoryLock lock() throws IOException {
        return run(Operation.LOCK, toString(), inner::lock);
    }

    @Override
    public String toString() {
        return inner.toString();
    }

    private final class Writing implements WritableFile {
        private final String name;
        private final WritableFile file;

        private Writing(String name, WritableFile file) {
            this.name = name;
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes) throws IOException {
            Fault now = next(Operation.WRITE, name);
            if (now == null) {
                file.write(bytes);
                return;
            }
            int written = now == Fault.FAIL_AFTERWARDS ? bytes.remaining() : bytes.remaining() / 2;
            file.write(bytes.slice(bytes.position(), written));
            throw new InjectedFault(now, Operation.WRITE, name);
        }

        @Override
        public void sync() throws IOException {
            run(
                    Operation.SYNC_FILE,
                    name,
                    () -> {
                        file.sync();
                        return name;
                    });
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private final class Reading implements ReadableFile {
        private final String name;
        private final ReadableFile file;

        private Reading(String name, ReadableFile file) {
            this.name = name;
            this.file = file;
        }

        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            Fault now = next(Operation.READ, name);
            if (now != null && now != Fault.FLIP_BIT) {
                throw new InjectedFault(now, Operation.READ, name);
            }
            int start = into.position();
            int n = file.read(position, into);
            if (now != null && n > 0) {
                int at = start + bit / Byte.SIZE % n;
                into.put(at, (byte) (into.get(at) ^ 1 << bit % Byte.SIZE));
            }
            return n;
        }

        @Override
        public long length() throws IOException {
            return file.length();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
