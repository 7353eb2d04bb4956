/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.SymbolDecoder;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.filter.rateless.UnequalElement;
import java.io.IOException;

/** The envelopes of filters. */
class FiltersFuzzTest {

    private static final int IDS = 20;

    /** A side of an exchange: each id has other copies. */
    private static final RootSet OWN = copies(1);

    /** A side that differs in all of them. */
    private static final RootSet DOUBLED = copies(2);

    private static final int MAX_SYMBOLS = 1_000;

    private static RootSet copies(int times) {
        return visitor -> {
            for (long id = 0; id < IDS; id++) {
                visitor.element(Hashing.hash(id), times * (1 + id));
            }
        };
    }

    @FuzzTest
    void aForgetfulFilter(byte[] bytes) throws IOException {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(1_000)
                        .falsePositiveProbability(1e-2)
                        .expectedPerWindow(50)
                        .clockOfCaller()
                        .build();
        MemoryBudget budget = new MemoryBudget(1 << 18);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> ForgetfulFilter.readFrom(in, source, options, budget),
                FiltersFuzzTest::use);
        check(budget.reserved() == 0, "all memory is given back");
    }

    private static byte[] use(ForgetfulFilter filter) {
        for (int id = 0; id < IDS; id++) {
            long hash = Hashing.hash(id);
            long now = filter.clock();
            boolean reported = filter.mightContain(hash, now);
            check(filter.add(hash, now) != reported, "add says what a query said");
            check(filter.mightContain(hash, now), "what was added is known");
        }
        check(filter.predictedFpp() >= 0 && filter.predictedFpp() <= 1, "a probability");
        if (filter.clock() < Long.MAX_VALUE - 700) {
            filter.advanceTo(filter.clock() + 700);
        }
        byte[] bytes = filter.toByteArray();
        filter.close();
        return bytes;
    }

    @FuzzTest
    void aQuotientFilter(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> QuotientFilter.readFrom(in, source, Storage.HEAP),
                FiltersFuzzTest::use);
    }

    private static byte[] use(QuotientFilter filter) {
        for (int id = 0; id < IDS; id++) {
            long hash = Hashing.hash(id);
            try {
                boolean absent = !filter.mightContain(hash);
                check(filter.add(hash) == absent, "add says what a query said");
                check(filter.mightContain(hash), "what was added is known");
                filter.insert(hash);
                check(filter.count(hash) >= 2, "copies are counted");
            } catch (FilterFullException full) {
                check(filter.size() > 0, "an empty filter is not full");
            }
            filter.remove(Hashing.hash(id + 7));
        }
        check(filter.fpp() >= 0 && filter.fpp() <= 1, "a probability");
        return filter.toByteArray();
    }

    @FuzzTest
    void aCountingCuckooFilter(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> CountingCuckooFilter.readFrom(in, source, Storage.HEAP),
                FiltersFuzzTest::use);
    }

    private static byte[] use(CountingCuckooFilter filter) {
        for (int id = 0; id < IDS; id++) {
            long hash = Hashing.hash(id);
            long before = filter.count(hash);
            try {
                filter.insert(hash, 2);
                check(
                        filter.count(hash) >= Math.min(before + 1, filter.maxCount()),
                        "copies are counted");
            } catch (FilterFullException full) {
                check(filter.occupied() > 0, "an empty filter is not full");
            }
            filter.remove(Hashing.hash(id + 7));
        }
        check(filter.predictedFpp() >= 0 && filter.predictedFpp() <= 1, "a probability");
        return filter.toByteArray();
    }

    @FuzzTest
    void aDigestOfAMultiset(byte[] bytes) throws IOException {
        isRefusedOrWorks(Envelopes.righted(bytes), MultisetDigest::readFrom, FiltersFuzzTest::use);
    }

    /** Both ways to find out what a peer with this digest lacks. */
    private static byte[] use(MultisetDigest digest) {
        check(digest.tellsTheSameSetAs(digest), "it is its own");
        check(filed(MultisetDifference.byQuery(OWN, digest)) <= IDS, "each is filed once");
        try {
            MultisetDigest of =
                    MultisetDigest.of(OWN, digest.shape(), digest.collisions(), digest.seed());
            MultisetDifference difference = MultisetDifference.byDecoding(OWN, of, digest);
            check(filed(difference) <= IDS, "each is filed once");
        } catch (FilterFullException full) {
            check(digest.shape().slots() < 4 * IDS, "there is room");
        }
        return digest.toByteArray();
    }

    private static int filed(MultisetDifference difference) {
        return difference.missing().size()
                + difference.fewer().size()
                + difference.more().size()
                + difference.undecided().size();
    }

    @FuzzTest
    void codedSymbols(byte[] bytes) throws IOException {
        isRefusedOrWorks(Envelopes.righted(bytes), CodedSymbols::readFrom, FiltersFuzzTest::use);
    }

    /** Other symbols come before them, so that those that are not the first are looked at too. */
    private static byte[] use(CodedSymbols symbols) {
        SymbolDecoder decoder = new SymbolDecoder(OWN, symbols.key(), MAX_SYMBOLS);
        if (symbols.first() > 0) {
            int before = Math.min(symbols.first(), MAX_SYMBOLS);
            decoder.accept(new SymbolEncoder(DOUBLED, symbols.key()).next(before));
        }
        boolean follow = symbols.first() <= decoder.received();
        Outcome outcome = decoder.accept(symbols);
        check(decoder.received() <= MAX_SYMBOLS, "not more than the limit is kept");
        check(
                (outcome == Outcome.GAP) == (!follow && decoder.outcome() == Outcome.MORE),
                "a gap is told");
        check(decoder.accept(symbols) == outcome, "repeated symbols change nothing");
        if (outcome == Outcome.DECODED) {
            long last = Long.MIN_VALUE;
            for (UnequalElement element : decoder.difference()) {
                check(element.hash() >= last, "elements are in order");
                check(element.own() != element.atPeer(), "what is told differs");
                check(element.own() >= 0 && element.atPeer() >= 0, "numbers of copies");
                last = element.hash();
            }
            check(decoder.difference().size() <= decoder.received(), "a symbol names one element");
        }
        check(symbols.serializedBytes() == symbols.toByteArray().length, "as long as it says");
        return symbols.toByteArray();
    }

    @FuzzTest
    void aKeyValueBloomFilter(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> KeyValueBloomFilter.readFrom(in, source, Storage.HEAP),
                FiltersFuzzTest::use);
    }

    private static byte[] use(KeyValueBloomFilter filter) {
        for (int id = 0; id < IDS; id++) {
            int found = filter.query(Hashing.hash(id));
            check(found < filter.values(), "a value that there is");
            try {
                filter.insert(Hashing.hash(1_000 + id), id % filter.values());
            } catch (FilterFullException full) {
                check(filter.keys() > 0, "an empty filter is not full");
            }
        }
        filter.compact();
        return filter.toByteArray();
    }
}
