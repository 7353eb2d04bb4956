/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import com.google.common.primitives.Longs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB used as a set: keys of eight bytes, empty values, no write-ahead log, Bloom filters of 10
 * bits a key, its default levelled compaction on two background threads, no compression (random
 * keys have none). Add if absent is a get, and a put if nothing was there.
 *
 * <p>Half of the memory is for write buffers and half for the block cache. Indexes and filters are
 * outside the cache, as by default, so RocksDB gets more memory here than it is charged for.
 */
final class RocksSet implements DiskFilter {
    private static final int BLOOM_BITS = 10;
    private static final long POLL_NANOS = 1_000_000;
    private static final byte[] NOTHING = {};

    static {
        RocksDB.loadLibrary();
    }

    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS, false);
    private final WriteOptions writes = new WriteOptions().setDisableWAL(true);
    private final ReadOptions reads = new ReadOptions().setVerifyChecksums(true);
    private final Cache cache;
    private final Options options;
    private final RocksDB database;

    /** A call of RocksDB. */
    private interface Call<T> {
        T of(RocksDB database) throws RocksDBException;
    }

    /**
     * Opens an empty database.
     *
     * @param direct past the page cache of the system
     */
    RocksSet(Path directory, long memoryBytes, boolean direct) throws IOException {
        cache = new LRUCache(memoryBytes / 2);
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setErrorIfExists(true)
                        .setWriteBufferSize(memoryBytes / 4)
                        .setMaxWriteBufferNumber(2)
                        .setMaxBackgroundJobs(2)
                        .setCompressionType(CompressionType.NO_COMPRESSION)
                        .setUseDirectReads(direct)
                        .setUseDirectIoForFlushAndCompaction(direct)
                        .setTableFormatConfig(
                                new BlockBasedTableConfig()
                                        .setBlockCache(cache)
                                        .setFilterPolicy(bloom));
        database = call(null, none -> RocksDB.open(options, directory.toString()));
    }

    private static <T> T call(RocksDB database, Call<T> call) throws IOException {
        try {
            return call.of(database);
        } catch (RocksDBException e) {
            throw new IOException("RocksDB failed", e);
        }
    }

    @Override
    public void add(long... keys) throws IOException {
        for (long key : keys) {
            put(Longs.toByteArray(key));
        }
    }

    private void put(byte[] key) throws IOException {
        call(
                database,
                rocks -> {
                    rocks.put(writes, key, NOTHING);
                    return null;
                });
    }

    private boolean has(byte[] key) throws IOException {
        return call(database, rocks -> rocks.get(reads, key, NOTHING)) != RocksDB.NOT_FOUND;
    }

    boolean contains(long key) throws IOException {
        return has(Longs.toByteArray(key));
    }

    /** Adds the keys that are not there, one by one. */
    void addIfAbsent(long... keys) throws IOException {
        for (long number : keys) {
            byte[] key = Longs.toByteArray(number);
            if (!has(key)) {
                put(key);
            }
        }
    }

    /** Does the same by one multi-get, and one write of what was absent. */
    void addAll(long... keys) throws IOException {
        List<byte[]> asked = Arrays.stream(keys).mapToObj(Longs::toByteArray).toList();
        List<byte[]> found = call(database, rocks -> rocks.multiGetAsList(reads, asked));
        try (WriteBatch absent = new WriteBatch()) {
            call(
                    database,
                    rocks -> {
                        for (int i = 0; i < asked.size(); i++) {
                            if (found.get(i) == null) {
                                absent.put(asked.get(i), NOTHING);
                            }
                        }
                        rocks.write(writes, absent);
                        return null;
                    });
        }
    }

    @Override
    public void settle() throws IOException {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            call(
                    database,
                    rocks -> {
                        rocks.flush(flush);
                        return null;
                    });
        }
        while (property("compaction-pending") != 0 || property("num-running-compactions") != 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private long property(String name) throws IOException {
        return call(database, rocks -> rocks.getLongProperty("rocksdb." + name));
    }

    @Override
    public long diskBytes() throws IOException {
        return property("total-sst-files-size");
    }

    @Override
    public long bytesWritten() throws IOException {
        String gibibytes =
                call(database, rocks -> rocks.getMapProperty("rocksdb.cfstats"))
                        .get("compaction.Sum.WriteGB");
        return Math.round(Double.parseDouble(gibibytes) * (1 << 30));
    }

    @Override
    public void close() {
        database.close();
        options.close();
        writes.close();
        reads.close();
        cache.close();
        bloom.close();
    }
}
