/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages and exchanges as bytes: golden files, damage, and what the gate accepts. */
class MessagesTest {

    /** Where the sketch of a shortage begins. */
    private static final int SKETCH = 32 + 104 + 8;

    private final List<Refusal> refusals = new ArrayList<>();

    private static byte[] golden(String name) {
        return GoldenFile.read("reconcile/" + name);
    }

    private static Message readGolden(String name) throws IOException {
        Message expected = GoldenMessages.messages().get(name);
        GoldenFile.assertStillWritten("reconcile/" + name, MessageFormat.write(expected));
        byte[] bytes = golden(name);
        Message read = MessageFormat.read(bytes, "golden");
        assertThat(read.head()).isEqualTo(expected.head());
        assertThat(MessageFormat.write(read)).isEqualTo(bytes);
        return read;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GoldenMessages.DIGEST,
                GoldenMessages.AGREED,
                GoldenMessages.SETTLED,
                GoldenMessages.FAREWELL
            })
    void theGoldenDigestsAreReadAndWritten(String name) throws IOException {
        Message read = readGolden(name);
        assertThat(read).isEqualTo(GoldenMessages.messages().get(name));
        assertThat(read.isFarewell()).isEqualTo(name.equals(GoldenMessages.FAREWELL));
    }

    @Test
    void theGoldenFarewellIsWhatASideThatGivesUpSays() {
        Message.Head head = GoldenMessages.messages().get(GoldenMessages.FAREWELL).head();
        Side side = new Side(GoldenMessages.PEER_SETTINGS, head.group(), head.incarnation());
        assertThat(GaveUpMessage.message(side, head.window()))
                .isEqualTo(golden(GoldenMessages.FAREWELL));
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenMessages.FILTER, GoldenMessages.EMPTY_FILTER})
    void theGoldenFiltersAreReadAndWritten(String name) throws IOException {
        MultisetDigest filter = readGolden(name).filter();
        MultisetDigest expected = GoldenMessages.messages().get(name).filter();
        assertThat(filter.totals()).isEqualTo(expected.totals());
        assertThat(filter.shape()).isEqualTo(expected.shape());
        assertThat(filter.tellsTheSameSetAs(expected)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenMessages.REPAIR, GoldenMessages.EMPTY_REPAIR})
    void theGoldenRepairsAreReadAndWritten(String name) throws IOException {
        Message.Repair repair = readGolden(name).repair();
        Message.Repair expected = GoldenMessages.messages().get(name).repair();
        assertThat(repair.answer()).isEqualTo(expected.answer());
        assertThat(repair.part()).isEqualTo(expected.part());
        assertThat(repair.parts()).isEqualTo(expected.parts());
        assertThat(repair.elements().size()).isEqualTo(expected.elements().size());
        for (int i = 0; i < expected.elements().size(); i++) {
            assertThat(repair.elements().id(i)).isEqualTo(expected.elements().id(i));
            assertThat(repair.elements().copies(i)).isEqualTo(expected.elements().copies(i));
        }
    }

    @Test
    void theGoldenSymbolsAndTheGoldenShortageAreReadAndWritten() throws IOException {
        CodedSymbols symbols = readGolden(GoldenMessages.SYMBOLS).symbols();
        assertThat(symbols.size()).isEqualTo(24);
        assertThat(symbols.key()).isEqualTo(GoldenMessages.symbols().symbols().key());
        Message.Shortage shortage = readGolden(GoldenMessages.SHORTAGE).shortage();
        assertThat(shortage.symbols()).isEqualTo(48);
        assertThat(shortage.isContradictory()).isFalse();
        assertThat(shortage.sketch().differing(visitor -> {}))
                .isPositive()
                .isEqualTo(GoldenMessages.sketch().differing(visitor -> {}));
        Message.Shortage contradiction = readGolden(GoldenMessages.CONTRADICTION).shortage();
        assertThat(contradiction.symbols()).isEqualTo(48);
        assertThat(contradiction.isContradictory()).isTrue();
    }

    /** Symbols that are not the first tell nothing to a side that has not kept those before. */
    @Test
    void symbolsThatAreNotTheFirstAndImpossibleShortagesAreRefused() {
        SymbolEncoder encoder = GoldenMessages.encoder();
        Message.Head head = GoldenMessages.symbols().head();
        admit(MessageFormat.write(new Message(head, encoder.next(0))));
        admit(MessageFormat.write(new Message(head, encoder.next(1))));
        assertThat(refusals).containsExactly(Refusal.DAMAGED);
        admit(MessageFormat.write(new Message(head, encoder.next(1))));
        Message.Head shortage = GoldenMessages.shortage().head();
        admit(MessageFormat.write(new Message(shortage, new Message.Shortage(0, null))));
        admit(righted(changed(golden(GoldenMessages.SHORTAGE), SKETCH + 16, 5)));
        admit(righted(changed(golden(GoldenMessages.SHORTAGE), SKETCH + 17, 0)));
        admit(righted(changed(golden(GoldenMessages.SHORTAGE), SKETCH - 4, 1)));
        assertThat(refusals).hasSize(6).containsOnly(Refusal.DAMAGED);
    }

    @Test
    void symbolsOfAnotherMultisetThanTheHeadsAreRefused() {
        SymbolEncoder encoder =
                new SymbolEncoder(visitor -> visitor.element(1, 1), new ExchangeKey(1, 2));
        admit(MessageFormat.write(new Message(GoldenMessages.symbols().head(), encoder.next(1))));
        assertThat(refusals).containsExactly(Refusal.DAMAGED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GoldenMessages.EXCHANGE,
                GoldenMessages.SYMBOLS_EXCHANGE,
                GoldenMessages.FALLBACK_EXCHANGE,
                GoldenMessages.OPEN_EXCHANGE,
                GoldenMessages.ABANDONED_EXCHANGE,
                GoldenMessages.AGREED_EXCHANGE,
                GoldenMessages.SETTLED_EXCHANGE
            })
    void theGoldenExchangesAreReadAndWritten(String name) throws IOException {
        Reconciliation expected = GoldenMessages.exchanges().get(name);
        GoldenFile.assertStillWritten("reconcile/" + name, ReconciliationFormat.write(expected));
        byte[] bytes = golden(name);
        Reconciliation read = ReconciliationFormat.read(bytes, expected.side(), "golden");
        assertThat(read).usingRecursiveComparison().isEqualTo(expected);
        assertThat(ReconciliationFormat.write(read)).isEqualTo(bytes);
        Damage.isAlwaysRefused(
                bytes,
                (in, source) ->
                        ReconciliationFormat.read(in.readAllBytes(), expected.side(), source));
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenMessages.KEY_GROUP, GoldenMessages.NEW_KEY_GROUP})
    void theGoldenKeyGroupsAreReadAndWritten(String name) throws IOException {
        KeyGroupFacts expected = GoldenMessages.keyGroups().get(name);
        GoldenFile.assertStillWritten("reconcile/" + name, KeyGroupFormat.write(expected));
        byte[] bytes = golden(name);
        KeyGroupFacts read = KeyGroupFormat.read(bytes, "golden");
        assertThat(read).isEqualTo(expected);
        assertThat(KeyGroupFormat.write(read)).isEqualTo(bytes);
        Damage.isAlwaysRefused(
                bytes, (in, source) -> KeyGroupFormat.read(in.readAllBytes(), source));
    }

    private static Reconciliation exchange(
            Totals totalsOfPeer, long serialOfPeer, int round, long waited, long statistic) {
        Side side = GoldenMessages.exchange().side();
        long[] statistics = new long[ExchangeStatistics.NUMBERS];
        statistics[5] = statistic;
        return new Reconciliation(
                side,
                GoldenMessages.exchange().window(),
                Phase.EXCHANGING,
                new OwnMultiset(side, new Totals(50, 1275, -5)),
                new PeerView(9, serialOfPeer, 7, totalsOfPeer, 1, Phase.EXCHANGING, false),
                new AwaitedAnswer(round, true, 4, new long[0]),
                new RepeatTimer(GoldenMessages.SETTINGS.retryMillis(), waited, 60_000, 2, true),
                new ExchangeStatistics(statistics),
                9,
                MessageKind.FILTER);
    }

    private static Reconciliation readAgain(Reconciliation exchange) throws IOException {
        return ReconciliationFormat.read(
                ReconciliationFormat.write(exchange), exchange.side(), "exchange");
    }

    @Test
    void exchangesThatCannotBeAreRefused() throws IOException {
        Totals totals = new Totals(3, 4, 5);
        readAgain(exchange(totals, 8, 1, 2, 3));
        for (Reconciliation impossible :
                new Reconciliation[] {
                    exchange(new Totals(-1, 4, 5), 8, 1, 2, 3),
                    exchange(new Totals(3, 2, 5), 8, 1, 2, 3),
                    exchange(totals, -1, 1, 2, 3),
                    exchange(totals, 8, ReconcileSettings.MAX_ROUNDS + 1, 2, 3),
                    exchange(totals, 8, 1, -1, 3),
                    exchange(totals, 8, 1, 2, -1)
                }) {
            assertThatThrownBy(() -> readAgain(impossible))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("an impossible exchange");
        }
    }

    /** Nobody waits so long; but what is read can be used, and read again when it was written. */
    @Test
    void anExchangeThatHasWaitedForEverIsReadAgain() throws IOException {
        Reconciliation exchange = readAgain(exchange(new Totals(3, 4, 5), 8, 1, Long.MAX_VALUE, 3));
        exchange.patience().pass(1_000);
        assertThat(readAgain(exchange).patience().waitedMillis()).isEqualTo(Long.MAX_VALUE);
    }

    /** Such a name became longer each time it was read and written, until it was too long. */
    @Test
    void aKeyGroupOfAReplicaWhoseNameIsNoTextIsRefused() throws IOException {
        byte[] bytes = golden(GoldenMessages.KEY_GROUP);
        int name = 32 + 40 + Integer.BYTES;
        bytes[name] = (byte) 0xff;
        assertThatThrownBy(() -> KeyGroupFormat.read(righted(bytes), "hostile"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessage("hostile, offset " + name + ": a text that is not UTF-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GoldenMessages.DIGEST,
                GoldenMessages.FAREWELL,
                GoldenMessages.FILTER,
                GoldenMessages.EMPTY_FILTER,
                GoldenMessages.REPAIR,
                GoldenMessages.EMPTY_REPAIR,
                GoldenMessages.SYMBOLS,
                GoldenMessages.SHORTAGE,
                GoldenMessages.CONTRADICTION
            })
    void damageIsAlwaysRefused(String name) {
        Damage.isAlwaysRefused(
                golden(name), (in, source) -> MessageFormat.read(in.readAllBytes(), source));
    }

    private Message admit(byte[] bytes) {
        return new Gate(GoldenMessages.SETTINGS).admit(bytes, (why, text) -> refusals.add(why));
    }

    private Message admit(String replica, Setup setup) {
        return admit(MessageFormat.write(GoldenMessages.digest(replica, setup)));
    }

    @Test
    void aPeerThatIsSetUpAlikeIsLetIn() {
        Setup same = GoldenMessages.SETTINGS.setup();
        assertThat(admit("west", same)).isEqualTo(GoldenMessages.digest());
        assertThat(refusals).isEmpty();
    }

    @Test
    void otherWindowsGroupsIdsAndSeedsAreForeign() {
        admit("west", new Setup(30_000, 128, 2, 20_261_122));
        admit("west", new Setup(60_000, 129, 2, 20_261_122));
        admit("west", new Setup(60_000, 128, 1, 20_261_122));
        admit("west", new Setup(60_000, 128, 2, 20_261_123));
        assertThat(refusals).hasSize(4).containsOnly(Refusal.FOREIGN);
    }

    @Test
    void theReplicasOwnMessagesAreRefused() {
        admit("east", GoldenMessages.SETTINGS.setup());
        assertThat(refusals).containsExactly(Refusal.OWN);
    }

    @Test
    void messagesOfAThirdReplicaAndForOneAreRefused() {
        Setup same = GoldenMessages.SETTINGS.setup();
        admit(MessageFormat.write(GoldenMessages.digest("north", "east", same)));
        admit(MessageFormat.write(GoldenMessages.digest("west", "north", same)));
        assertThat(refusals).containsExactly(Refusal.STRANGER, Refusal.STRANGER);
    }

    @Test
    void damagedBytesOtherVersionsAndNothingAreRefused() {
        byte[] damaged = golden(GoldenMessages.DIGEST);
        damaged[40]++;
        admit(damaged);
        admit(null);
        admit(new byte[0]);
        assertThat(refusals).hasSize(3).containsOnly(Refusal.DAMAGED);
        refusals.clear();
        admit(ofVersion(3, golden(GoldenMessages.DIGEST)));
        admit(ofVersion(5, golden(GoldenMessages.DIGEST)));
        assertThat(refusals).containsExactly(Refusal.VERSION, Refusal.VERSION);
    }

    /** The same envelope with another version, and a right checksum. */
    static byte[] ofVersion(int version, byte[] bytes) {
        byte[] changed = bytes.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putShort(6, (short) version);
        return righted(changed);
    }

    private static byte[] changed(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    /** Rights the checksum of an envelope whose header was changed. */
    private static byte[] righted(byte[] bytes) {
        var changed = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int headerEnd = 32 + changed.getInt(20);
        var crc = new CRC32C();
        crc.update(bytes, 0, headerEnd);
        changed.putInt(headerEnd, (int) crc.getValue());
        return bytes;
    }
}
