/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
final class RocksSet implements DiskSet {
    private static final int BLOOM_BITS = 10;
    private static final long POLL_NANOS = 1_000_000;
    private static final byte[] NOTHING = {};

    static {
        RocksDB.loadLibrary();
    }

    private final Path directory;
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS, false);
    private final Cache cache;
    private final Options options;
    private final WriteOptions writeOptions = new WriteOptions().setDisableWAL(true);
    private final ReadOptions readOptions = new ReadOptions().setVerifyChecksums(true);
    private final RocksDB database;
    private final byte[] key = new byte[Long.BYTES];

    /**
     * An empty database.
     *
     * @param direct past the page cache of the system
     */
    RocksSet(Path directory, long memoryBytes, boolean direct) throws IOException {
        this.directory = directory;
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
        try {
            database = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            throw failed("open", e);
        }
    }

    private IOException failed(String what, RocksDBException cause) {
        return new IOException("RocksDB in " + directory + " failed to " + what, cause);
    }

    @Override
    public String id() {
        return "rocksdb";
    }

    @Override
    public String name() {
        return "RocksDB";
    }

    @Override
    public void add(long[] keys, int from, int to) throws IOException {
        try {
            for (int i = from; i < to; i++) {
                encode(keys[i]);
                database.put(writeOptions, key, NOTHING);
            }
        } catch (RocksDBException e) {
            throw failed("put", e);
        }
    }

    @Override
    public int addIfAbsent(long[] keys, int from, int to) throws IOException {
        int added = 0;
        try {
            for (int i = from; i < to; i++) {
                encode(keys[i]);
                if (database.get(readOptions, key, NOTHING) == RocksDB.NOT_FOUND) {
                    database.put(writeOptions, key, NOTHING);
                    added++;
                }
            }
        } catch (RocksDBException e) {
            throw failed("get or put", e);
        }
        return added;
    }

    /** {@link #addIfAbsent} by one multi-get, and one write of what was absent. */
    void addAll(long[] keys, int from, int to) throws IOException {
        List<byte[]> asked = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            encode(keys[i]);
            asked.add(key.clone());
        }
        try (WriteBatch absent = new WriteBatch()) {
            List<byte[]> found = database.multiGetAsList(readOptions, asked);
            for (int i = 0; i < found.size(); i++) {
                if (found.get(i) == null) {
                    absent.put(asked.get(i), NOTHING);
                }
            }
            database.write(writeOptions, absent);
        } catch (RocksDBException e) {
            throw failed("get or put a batch", e);
        }
    }

    @Override
    public boolean contains(long asked) throws IOException {
        encode(asked);
        try {
            return database.get(readOptions, key, NOTHING) != RocksDB.NOT_FOUND;
        } catch (RocksDBException e) {
            throw failed("get", e);
        }
    }

    private void encode(long value) {
        for (int i = 0; i < Long.BYTES; i++) {
            key[i] = (byte) (value >>> (56 - 8 * i));
        }
    }

    @Override
    public void settle() throws IOException {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            database.flush(flush);
            while (database.getLongProperty("rocksdb.compaction-pending") != 0
                    || database.getLongProperty("rocksdb.num-running-compactions") != 0) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (RocksDBException e) {
            throw failed("flush", e);
        }
    }

    @Override
    public long diskBytes() throws IOException {
        return Trees.bytes(directory);
    }

    @Override
    public long bytesWritten() throws IOException {
        try {
            String gibibytes =
                    database.getMapProperty("rocksdb.cfstats").get("compaction.Sum.WriteGB");
            return Math.round(Double.parseDouble(gibibytes) * (1 << 30));
        } catch (RocksDBException e) {
            throw failed("tell its statistics", e);
        }
    }

    @Override
    public void close() {
        database.close();
        options.close();
        writeOptions.close();
        readOptions.close();
        cache.close();
        bloom.close();
    }
}
