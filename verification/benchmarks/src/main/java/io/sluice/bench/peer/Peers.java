/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import com.github.mgunlogson.cuckoofilter4j.CuckooFilter;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.sluice.bench.peer.Peer.Size;
import io.sluice.bench.peer.Structure.Calls;
import io.sluice.filter.FilterSizing;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.quotient.QuotientFilter;
import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;
import org.fastfilter.cuckoo.Cuckoo16;
import org.fastfilter.cuckoo.Cuckoo8;
import org.fastfilter.utils.Hash;

/**
 * All kinds. Structures that can choose their error have the same error; structures with slots are
 * filled to the same load.
 */
public final class Peers {
    /** The error of a quotient filter with remainders of 8 bits at full load. */
    public static final double FPP = 1.0 / 256;

    /** With this the blocked Bloom filter has about {@link #FPP}. */
    public static final int BLOCKED_BITS = 16;

    /** The library takes seeds from one global generator; this makes them the same in every run. */
    private static final long SEED = 1;

    /**
     * The minimum that any filter larger than the caches must do: one random cache line for each
     * operation, read or read and written. Its error is the share of set bits.
     */
    public static final Peer ONE_LINE = removing("oneLine", "one random line", Peers::oneLine);

    public static final Peer GUAVA = adding("guavaBloom", "Guava Bloom", Peers::guava);
    public static final Peer FASTFILTER_BLOOM =
            adding("fastfilterBloom", "fastfilter Bloom", Peers::fastfilterBloom);

    /** One cache line for each key, at a much higher error for its bits. */
    public static final Peer FASTFILTER_BLOCKED =
            adding("fastfilterBlockedBloom", "fastfilter blocked Bloom", Peers::fastfilterBlocked);

    public static final Peer FINGERPRINTS = windowed(Layout.FINGERPRINTS);
    public static final Peer FORGETFUL_QUOTIENT = windowed(Layout.QUOTIENT);
    public static final Peer CUCKOOFILTER4J =
            removing("cuckoofilter4j", "cuckoofilter4j", Peers::cuckoofilter4j);
    public static final Peer COMMONS =
            removing("commonsCountingBloom", "Commons counting Bloom", CommonsCountingBloom::new);
    public static final Peer QUOTIENT =
            removing("quotient", "quotient filter r 8", Peers::quotient);

    private static final List<Peer> ALL =
            List.of(
                    GUAVA,
                    adding("dataSketchesBloom", "DataSketches Bloom", Peers::dataSketches),
                    FASTFILTER_BLOOM,
                    FASTFILTER_BLOCKED,
                    adding("fastfilterCuckoo8", "fastfilter cuckoo 8 bit", Peers::cuckoo8),
                    adding("fastfilterCuckoo16", "fastfilter cuckoo 16 bit", Peers::cuckoo16),
                    removing("fastutilSet", "fastutil LongOpenHashSet", Peers::fastutil),
                    CUCKOOFILTER4J,
                    COMMONS,
                    FINGERPRINTS,
                    FORGETFUL_QUOTIENT,
                    QUOTIENT,
                    countingCuckoo("", "", Storage.HEAP));

    /** Kinds that take part only if named. */
    private static final List<Peer> OTHERS =
            List.of(countingCuckoo("OffHeap", " off heap", Storage.OFF_HEAP));

    private Peers() {}

    /**
     * The kinds with the {@code ids}; if no ids are given, those that take part by default.
     *
     * @throws IllegalArgumentException if an id is unknown
     */
    public static List<Peer> named(Set<String> ids) {
        List<Peer> known = Stream.concat(ALL.stream(), OTHERS.stream()).toList();
        Set<String> unknown = new TreeSet<>(ids);
        known.forEach(peer -> unknown.remove(peer.id()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "no structure is called "
                            + unknown
                            + ": choose among "
                            + known.stream().map(Peer::id).toList());
        }
        return ids.isEmpty()
                ? ALL
                : known.stream().filter(peer -> ids.contains(peer.id())).toList();
    }

    /**
     * The kind called {@code id}, which may be {@link #ONE_LINE}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Peer named(String id) {
        return ONE_LINE.id().equals(id) ? ONE_LINE : named(Set.of(id)).get(0);
    }

    private static Peer adding(String id, String name, Function<Size, Structure> maker) {
        return new Peer(id, name, false, maker);
    }

    private static Peer removing(String id, String name, Function<Size, Structure> maker) {
        return new Peer(id, name, true, maker);
    }

    private static Peer windowed(Layout layout) {
        String word = layout.name().toLowerCase(Locale.ROOT);
        return adding(
                "windowed" + layout.name().charAt(0) + word.substring(1),
                "forgetful filter " + word,
                size -> new ForgetfulStructure(size.fpp(), layout, size.keys()));
    }

    /** As large as the smallest filters of {@link #FPP}: 12 bits a slot. */
    private static Structure oneLine(Size size) {
        long[] words = new long[(int) Math.max(1, size.slots() * 3L / 2 / Long.BYTES)];
        return new Calls(
                key -> words[line(key, words)] |= 1L << key,
                key -> (words[line(key, words)] >>> key & 1) != 0,
                key -> {
                    int line = line(key, words);
                    long word = words[line];
                    words[line] = word | 1L << key;
                    return (word >>> key & 1) == 0;
                },
                // Clears the bit, even if other keys set it too.
                key -> {
                    int line = line(key, words);
                    long word = words[line];
                    words[line] = word & ~(1L << key);
                    return (word >>> key & 1) != 0;
                },
                () -> (long) words.length * Long.BYTES);
    }

    private static int line(long key, long[] words) {
        return (int) (((key >>> 32) * words.length) >>> 32);
    }

    /** It hashes its keys itself, with 128 bits of Murmur 3. */
    private static Structure guava(Size size) {
        BloomFilter<Long> filter =
                BloomFilter.create(Funnels.longFunnel(), size.keys(), size.fpp());
        // Its optimal number of bits, rounded up to words; it does not expose it.
        double bits = -size.keys() * Math.log(size.fpp()) / (Math.log(2) * Math.log(2));
        long bytes = Long.BYTES * (long) Math.ceil((long) bits / 64.0);
        return new Calls(filter::put, filter::mightContain, filter::put, null, () -> bytes);
    }

    /** On the heap. It hashes its keys itself. */
    private static Structure dataSketches(Size size) {
        var filter = BloomFilterBuilder.createByAccuracy(size.keys(), size.fpp(), SEED);
        return new Calls(
                filter::update,
                filter::query,
                key -> !filter.queryAndUpdate(key),
                null,
                () -> filter.getCapacity() / Byte.SIZE);
    }

    private static Structure fastfilterBloom(Size size) {
        Hash.setSeed(SEED);
        double bits = FilterSizing.bitsPerKey(size.fpp(), FilterSizing.optimalProbes(size.fpp()));
        Bloom filter = Bloom.construct(placeholders(size), bits);
        return new Calls(
                filter::add, filter::mayContain, null, null, () -> filter.getBitCount() / 8);
    }

    private static Structure fastfilterBlocked(Size size) {
        Hash.setSeed(SEED);
        BlockedBloom filter = BlockedBloom.construct(placeholders(size), BLOCKED_BITS);
        return new Calls(
                filter::add, filter::mayContain, null, null, () -> filter.getBitCount() / 8);
    }

    /**
     * Keys for factories that size a filter by the keys that they add at once: the same key again
     * and again, so that the filter is practically empty.
     */
    private static long[] placeholders(Size size) {
        return new long[Math.toIntExact(size.keys())];
    }

    /**
     * A full one loses a fingerprint when it refuses a key ({@code Cuckoo16.swap}), so it is filled
     * only to {@link Peer#LOAD}, which its own factory chooses. It cannot remove.
     */
    private static Structure cuckoo8(Size size) {
        Hash.setSeed(SEED);
        Cuckoo8 filter = new Cuckoo8(size.slots());
        return new Calls(
                filter::insert, filter::mayContain, null, null, () -> filter.getBitCount() / 8);
    }

    /** The same with fingerprints of 16 bits. */
    private static Structure cuckoo16(Size size) {
        Hash.setSeed(SEED);
        Cuckoo16 filter = new Cuckoo16(size.slots());
        return new Calls(
                filter::insert, filter::mayContain, null, null, () -> filter.getBitCount() / 8);
    }

    /** The exact answer: an open-addressing set, at most half full, where it is fast. */
    private static Structure fastutil(Size size) {
        float load = 0.5f;
        int keys = Math.toIntExact(size.keys());
        LongOpenHashSet set = new LongOpenHashSet(keys, load);
        // Its table, by its sizing rule, and one more slot for the key 0.
        long bytes = (HashCommon.arraySize(keys, load) + 1L) * Long.BYTES;
        return new Calls(set::add, set::contains, set::add, set::remove, () -> bytes);
    }

    /**
     * Made for one thread. It hashes its keys itself. A lookup compares 8 slots, but its sizing
     * counts 2, so its error is four times the requested one: a quarter is requested.
     */
    private static Structure cuckoofilter4j(Size size) {
        CuckooFilter<Long> filter =
                new CuckooFilter.Builder<Long>(Funnels.longFunnel(), size.keys())
                        .withFalsePositiveRate(size.fpp() / 4)
                        .withExpectedConcurrency(1)
                        .build();
        return new Calls(
                key -> {
                    if (!filter.put(key)) {
                        throw new IllegalStateException(
                                "full after " + filter.getCount() + " keys");
                    }
                },
                filter::mightContain,
                null,
                filter::delete,
                () -> filter.getStorageSize() / Byte.SIZE);
    }

    /** With remainders of 8 bits, and a little room beyond the load. */
    private static Structure quotient(Size size) {
        if (Integer.bitCount(size.slots()) != 1) {
            throw new IllegalArgumentException("slots must be a power of two, got " + size.slots());
        }
        QuotientFilter filter =
                QuotientFilter.builder()
                        .bits(Integer.numberOfTrailingZeros(size.slots()), 8)
                        .maxLoad(0.97)
                        .build();
        return new Calls(
                key -> filter.insert(Hashing.hash(key)),
                key -> filter.mightContain(Hashing.hash(key)),
                key -> filter.add(Hashing.hash(key)),
                key -> filter.remove(Hashing.hash(key)),
                filter::sizeInBytes);
    }

    /**
     * With fingerprints of 12 bits and counters of 4: a bucket is one word, and the error is about
     * half of {@link #FPP}. Insertions merge equal fingerprints.
     */
    private static Peer countingCuckoo(String suffix, String where, Storage storage) {
        return removing(
                "countingCuckoo12" + suffix,
                "counting cuckoo 12+4 bit" + where,
                size -> {
                    CountingCuckooFilter filter =
                            CountingCuckooFilter.create(
                                    new CuckooShape(12, 4, size.slots() / CuckooShape.SLOTS),
                                    storage);
                    return new Calls(
                            key -> filter.insert(Hashing.hash(key), 1),
                            key -> filter.mightContain(Hashing.hash(key)),
                            key -> filter.add(Hashing.hash(key)),
                            key -> filter.remove(Hashing.hash(key)),
                            filter::sizeInBytes);
                });
    }
}
