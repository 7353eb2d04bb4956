/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooMerge;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.quotient.FingerprintCursor;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.quotient.QuotientMerge;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What programs that hold filters themselves do with them: copy, merge, keep as bytes, free. */
class BuildingBlocksTest {

    private static final int KEYS = 3_000;

    private final SplittableRandom random = Seeds.random();

    @ParameterizedTest
    @EnumSource
    void aCopyOfAQuotientFilterGoesItsOwnWay(Storage storage) {
        QuotientFilter filter = quotient(storage);
        random.longs(KEYS).forEach(filter::insert);
        filter.remove(1);
        byte[] before = filter.toByteArray();
        QuotientFilter copy = filter.copy();
        assertThat(copy.toByteArray()).isEqualTo(before);

        random.longs(KEYS).forEach(copy::insert);
        copy.resize(copy.quotientBits() + 1);
        copy.checkInvariants();
        assertThat(filter.toByteArray()).isEqualTo(before);
        copy.close();
        filter.checkInvariants();
    }

    @ParameterizedTest
    @EnumSource
    void aCopyOfACuckooFilterGoesItsOwnWay(Storage storage) {
        CountingCuckooFilter filter = cuckoo(storage);
        random.longs(KEYS).forEach(hash -> filter.insert(hash, 2));
        byte[] before = filter.toByteArray();
        CountingCuckooFilter copy = filter.copy();
        assertThat(copy.toByteArray()).isEqualTo(before);

        random.longs(KEYS).forEach(hash -> copy.insert(hash, 1));
        copy.close();
        assertThat(filter.toByteArray()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void aCopyOfAKeyValueFilterGoesItsOwnWay(Storage storage) {
        KeyValueBloomFilter filter = keyValue(storage);
        random.longs(KEYS).forEach(hash -> filter.insert(hash, (int) (hash & 3)));
        byte[] before = filter.toByteArray();
        KeyValueBloomFilter copy = filter.copy();
        assertThat(copy.toByteArray()).isEqualTo(before);

        random.longs(KEYS / 2).forEach(hash -> copy.insert(hash, 1));
        copy.close();
        assertThat(filter.toByteArray()).isEqualTo(before);
    }

    @Test
    void bytesAreReadAgain() throws IOException {
        QuotientFilter filter = quotient(Storage.HEAP);
        long[] hashes = random.longs(KEYS).toArray();
        filter.insertAll(hashes, 0, KEYS);

        QuotientFilter read =
                QuotientFilter.readFrom(
                        new ByteArrayInputStream(filter.toByteArray()),
                        "an array",
                        Storage.OFF_HEAP);
        assertThat(read.mightContainAll(hashes, 0, KEYS, new boolean[KEYS])).isEqualTo(KEYS);
        read.close();
    }

    @Test
    void theSumOfCuckooFiltersCountsWhatAllOfThemCount() {
        Map<Long, Long> exact = new HashMap<>();
        List<CountingCuckooFilter> filters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CountingCuckooFilter filter = cuckoo(i == 1 ? Storage.OFF_HEAP : Storage.HEAP);
            for (int key = 0; key < 1_000; key++) {
                long hash = random.nextLong(4_000);
                int copies = 1 + random.nextInt(3);
                filter.insert(hash, copies);
                exact.merge(hash, (long) copies, Long::sum);
            }
            filters.add(filter);
        }
        List<byte[]> before = filters.stream().map(CountingCuckooFilter::toByteArray).toList();

        CountingCuckooFilter sum = CuckooMerge.sum(filters);
        exact.forEach(
                (hash, copies) ->
                        assertThat(sum.count(hash)).isEqualTo(Math.min(copies, sum.maxCount())));
        for (int i = 0; i < 3; i++) {
            assertThat(filters.get(i).toByteArray()).isEqualTo(before.get(i));
        }
    }

    @Test
    void aSumThatDoesNotFitChangesNothing() {
        CountingCuckooFilter one = cuckoo(Storage.OFF_HEAP);
        CountingCuckooFilter other = cuckoo(Storage.OFF_HEAP);
        fill(one);
        fill(other);
        byte[] before = one.toByteArray();

        long direct = directBytes();
        assertThatThrownBy(() -> CuckooMerge.sum(List.of(one, other)))
                .isInstanceOf(FilterFullException.class);
        assertThat(directBytes()).isLessThanOrEqualTo(direct);
        assertThat(one.toByteArray()).isEqualTo(before);
    }

    @Test
    void onlyCuckooFiltersOfOneShapeAreSummed() {
        CountingCuckooFilter larger =
                CountingCuckooFilter.create(CuckooShape.sized(100_000, 1e-8, 8), Storage.HEAP);
        assertThatThrownBy(() -> CuckooMerge.sum(List.of(cuckoo(Storage.HEAP), larger)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("make all of them with one shape");
        assertThatThrownBy(() -> CuckooMerge.sum(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingFreesMemoryOffTheHeapAtOnce() {
        long before = directBytes();
        QuotientFilter quotient = quotient(Storage.OFF_HEAP);
        CountingCuckooFilter cuckoo = cuckoo(Storage.OFF_HEAP);
        KeyValueBloomFilter keyValue = keyValue(Storage.OFF_HEAP);
        quotient.close();
        cuckoo.close();
        keyValue.close();
        assertThat(directBytes()).isLessThanOrEqualTo(before);
        quotient.close();
        assertThatThrownBy(() -> quotient.add(7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cuckoo.add(7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> keyValue.insert(7, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void nothingReadsMemoryThatWasFreed() {
        QuotientFilter quotient = quotient(Storage.OFF_HEAP);
        CountingCuckooFilter cuckoo = cuckoo(Storage.OFF_HEAP);
        KeyValueBloomFilter keyValue = keyValue(Storage.OFF_HEAP);
        long[] hashes = random.longs(KEYS).toArray();
        for (long hash : hashes) {
            quotient.insert(hash);
            cuckoo.insert(hash, 1);
            keyValue.insert(hash, 1);
        }
        FingerprintCursor cursor = quotient.cursor();
        assertThat(cursor.next(new long[8])).isEqualTo(8);
        quotient.close();
        cuckoo.close();
        keyValue.close();

        CountingCuckooFilter open = cuckoo(Storage.OFF_HEAP);
        List<ThrowingCallable> uses =
                List.of(
                        quotient::copy,
                        cuckoo::copy,
                        keyValue::copy,
                        quotient::toByteArray,
                        cuckoo::toByteArray,
                        keyValue::toByteArray,
                        quotient::checkInvariants,
                        () -> cursor.next(new long[KEYS]),
                        () -> quotient.resize(quotient.quotientBits() + 1),
                        () -> quotient.mightContainAll(hashes, 0, KEYS, new boolean[KEYS]),
                        () -> cuckoo.countAll(hashes, 0, KEYS, new long[KEYS]),
                        () -> keyValue.queryAll(hashes, 0, KEYS, new int[KEYS]),
                        () -> QuotientMerge.union(List.of(quotient, quotient(Storage.HEAP))),
                        () -> CuckooMerge.sum(List.of(cuckoo, open)),
                        () -> CuckooMerge.sum(List.of(open, cuckoo)),
                        () -> keyValue(Storage.HEAP).merge(keyValue));
        for (int i = 0; i < uses.size(); i++) {
            assertThatThrownBy(uses.get(i))
                    .as("use %d", i)
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aFilterThatRunsEmptyIsFreed() {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .values(4)
                        .sized(KEYS, 64)
                        .mostFilters(2)
                        .storage(Storage.OFF_HEAP)
                        .build();
        long[] hashes = random.longs(filter.capacity() + 1).toArray();
        long before = directBytes();
        for (long hash : hashes) {
            filter.insert(hash, 1);
        }
        assertThat(filter.filters()).isEqualTo(2);
        assertThat(filter.remove(hashes[hashes.length - 1], 1)).isTrue();
        assertThat(filter.filters()).isEqualTo(1);
        assertThat(directBytes()).isLessThanOrEqualTo(before);
        filter.close();
    }

    @Test
    void growthAndReadingLeaveNothingBehind() throws IOException {
        long before = directBytes();
        QuotientFilter filter = quotient(Storage.OFF_HEAP);
        random.longs(1_000_000).forEach(filter::insert);
        byte[] bytes = filter.toByteArray();
        filter.close();
        assertThat(directBytes()).isLessThanOrEqualTo(before);

        QuotientFilter.readFrom(new ByteArrayInputStream(bytes), "bytes", Storage.OFF_HEAP).close();
        bytes[bytes.length - 9]++;
        assertThatThrownBy(
                        () ->
                                QuotientFilter.readFrom(
                                        new ByteArrayInputStream(bytes), "bytes", Storage.OFF_HEAP))
                .isInstanceOf(IOException.class);
        byte[] cut = Arrays.copyOf(bytes, bytes.length / 2);
        assertThatThrownBy(
                        () ->
                                QuotientFilter.readFrom(
                                        new ByteArrayInputStream(cut), "cut", Storage.OFF_HEAP))
                .isInstanceOf(IOException.class);
        assertThat(directBytes()).isLessThanOrEqualTo(before);
    }

    @Test
    void aUnionIsLikeTheFirstFilter() {
        QuotientFilter one = quotient(Storage.OFF_HEAP);
        QuotientFilter other = quotient(Storage.HEAP);
        one.add(3);
        other.add(3);
        other.add(4);
        QuotientFilter union = QuotientMerge.union(List.of(one, other));
        assertThat(union.size()).isEqualTo(2);
        union.close();
        one.close();
    }

    private void fill(CountingCuckooFilter filter) {
        while (filter.load() < 0.8) {
            filter.insert(random.nextLong(), 1);
        }
    }

    private static QuotientFilter quotient(Storage storage) {
        return QuotientFilter.builder().sized(2L * KEYS, 1e-9).growing().storage(storage).build();
    }

    private static CountingCuckooFilter cuckoo(Storage storage) {
        return CountingCuckooFilter.create(CuckooShape.sized(2L * KEYS, 1e-8, 8), storage);
    }

    private static KeyValueBloomFilter keyValue(Storage storage) {
        return KeyValueBloomFilter.builder()
                .values(4)
                .sized(2L * KEYS, 64)
                .storage(storage)
                .build();
    }

    /** Direct memory of the JVM. Others in it may free some meanwhile; nobody takes any. */
    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
