/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.sample.StoredSample;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.annotation.Nullable;

/** Facts about state on their way. Stateless. */
final class StateWire {

    /** No job of Flink has more. */
    private static final int MAX_KEY_GROUPS = 1 << 15;

    private static final String SOURCE = "what the other side sent";

    private StateWire() {}

    static void writeInts(Set<Integer> numbers, DataOutputStream to) throws IOException {
        to.writeInt(numbers.size());
        for (int number : numbers) {
            to.writeInt(number);
        }
    }

    static NavigableSet<Integer> readInts(DataInputStream from) throws IOException {
        NavigableSet<Integer> numbers = new TreeSet<>();
        int count = WireText.count(from, Integer.BYTES);
        if (count > MAX_KEY_GROUPS) {
            throw new IOException("the other side sent a list of " + count + " key groups");
        }
        for (int left = count; left > 0; left--) {
            numbers.add(from.readInt());
        }
        return numbers;
    }

    /** Writes why a question has no answer. */
    static void write(IOException thrown, DataOutputStream to) throws IOException {
        boolean isDamage = thrown instanceof DamagedFileException;
        to.writeBoolean(isDamage);
        if (isDamage) {
            write(((DamagedFileException) thrown).problem(), to);
        } else {
            WireText.write(Problem.text(thrown), to);
        }
    }

    /** Returns what {@link #write(IOException, DataOutputStream)} has written. */
    static IOException thrown(DataInputStream from) throws IOException {
        return from.readBoolean()
                ? new DamagedFileException(readProblem(from))
                : new IOException(WireText.read(from));
    }

    static void writeProblems(List<Problem> problems, DataOutputStream to) throws IOException {
        to.writeInt(problems.size());
        for (Problem problem : problems) {
            write(problem, to);
        }
    }

    private static void write(Problem problem, DataOutputStream to) throws IOException {
        WireText.write(problem.file(), to);
        to.writeBoolean(problem.offset() != null);
        to.writeLong(problem.offset() == null ? 0 : problem.offset());
        WireText.write(problem.what(), to);
    }

    static List<Problem> readProblems(DataInputStream from) throws IOException {
        List<Problem> problems = new ArrayList<>();
        for (int left = WireText.count(from, 1); left > 0; left--) {
            problems.add(readProblem(from));
        }
        return problems;
    }

    private static Problem readProblem(DataInputStream from) throws IOException {
        String file = WireText.read(from);
        boolean hasOffset = from.readBoolean();
        long offset = from.readLong();
        return new Problem(file, hasOffset ? offset : null, WireText.read(from));
    }

    /** Returns a key group's facts as bytes; equal facts are equal bytes. */
    static byte[] bytes(ComparedKeyGroup facts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        WireText.write(facts.layout(), to);
        WireText.write(facts.identity(), to);
        to.writeInt(facts.options().size());
        for (Map.Entry<String, String> option : facts.options().entrySet()) {
            WireText.write(option.getKey(), to);
            WireText.write(option.getValue(), to);
        }
        to.writeBoolean(facts.machineIds() != null);
        to.writeLong(facts.machineIds() == null ? 0 : facts.machineIds());
        SampledIds seen = facts.seen();
        to.writeBoolean(seen != null);
        if (seen != null) {
            to.writeLong(seen.ids());
            to.writeLong(seen.clock());
            to.writeLong(seen.from());
            to.writeBoolean(seen.sample() != null);
            if (seen.sample() != null) {
                seen.sample().writeTo(to);
            }
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #bytes} returned.
     *
     * @throws IOException if it is something else
     */
    static ComparedKeyGroup facts(byte[] bytes) throws IOException {
        DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes));
        String layout = WireText.read(from);
        byte[] identity = WireText.bytes(from);
        Map<String, String> options = new LinkedHashMap<>();
        for (int left = WireText.count(from, 1); left > 0; left--) {
            String name = WireText.read(from);
            options.put(name, WireText.read(from));
        }
        boolean hasMachines = from.readBoolean();
        long machineIds = from.readLong();
        return new ComparedKeyGroup(
                layout, identity, options, seen(from), hasMachines ? machineIds : null);
    }

    @Nullable
    private static SampledIds seen(DataInputStream from) throws IOException {
        if (!from.readBoolean()) {
            return null;
        }
        long ids = from.readLong();
        long clock = from.readLong();
        long since = from.readLong();
        StoredSample sample = from.readBoolean() ? StoredSample.readFrom(from, SOURCE) : null;
        return new SampledIds(sample, ids, clock, since);
    }

    static void write(FlagsFacts facts, DataOutputStream to) throws IOException {
        WireText.write(facts.name(), to);
        to.writeDouble(facts.falsePositiveProbability());
        to.writeLong(facts.timeToLiveMillis());
        WireText.write(facts.namespaceScheme(), to);
        WireText.write(facts.keys(), to);
        to.writeInt(facts.hashBits());
        writeInts(facts.hashIds(), to);
        writeInts(facts.partsOfKeyGroup(), to);
        writeInts(facts.keyGroups(), to);
        for (long until : facts.expired().values()) {
            to.writeLong(until);
        }
    }

    static FlagsFacts flags(DataInputStream from) throws IOException {
        String name = WireText.read(from);
        double probability = from.readDouble();
        long timeToLive = from.readLong();
        String namespace = WireText.read(from);
        String keys = WireText.read(from);
        int hashBits = from.readInt();
        if (hashBits < 1 || hashBits > Entries.MAX_HASH_BITS) {
            throw new IOException("the other side sent fingerprints of " + hashBits + " bits");
        }
        NavigableSet<Integer> hashIds = readInts(from);
        NavigableSet<Integer> parts = readInts(from);
        NavigableMap<Integer, Long> expired = new TreeMap<>();
        for (int keyGroup : readInts(from)) {
            expired.put(keyGroup, from.readLong());
        }
        return new FlagsFacts(
                name, probability, timeToLive, namespace, keys, hashBits, hashIds, parts, expired);
    }
}
