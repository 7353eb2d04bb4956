/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.Damage;
import java.io.IOException;
import java.io.InputStream;
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

    private final List<Refusal> refusals = new ArrayList<>();

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = MessagesTest.class.getResourceAsStream("/golden/reconcile/" + name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void theGoldenDigestIsReadAndWritten() throws IOException {
        Message read = MessageFormat.read(golden(GoldenMessages.DIGEST), "golden");
        assertThat(read).isEqualTo(GoldenMessages.digest());
        assertThat(MessageFormat.write(read)).isEqualTo(golden(GoldenMessages.DIGEST));
    }

    @Test
    void theGoldenFilterIsReadAndWritten() throws IOException {
        Message read = MessageFormat.read(golden(GoldenMessages.FILTER), "golden");
        assertThat(read.head()).isEqualTo(GoldenMessages.filter().head());
        assertThat(read.filter().totals()).isEqualTo(GoldenMessages.filter().filter().totals());
        assertThat(MessageFormat.write(read)).isEqualTo(golden(GoldenMessages.FILTER));
        assertThat(MessageFormat.write(GoldenMessages.filter()))
                .isEqualTo(golden(GoldenMessages.FILTER));
    }

    @Test
    void theGoldenRepairIsReadAndWritten() throws IOException {
        Message read = MessageFormat.read(golden(GoldenMessages.REPAIR), "golden");
        assertThat(read.head()).isEqualTo(GoldenMessages.repair().head());
        ElementBatch elements = read.repair().elements();
        ElementBatch expected = GoldenMessages.repair().repair().elements();
        assertThat(elements.size()).isEqualTo(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(elements.id(i)).isEqualTo(expected.id(i));
            assertThat(elements.copies(i)).isEqualTo(expected.copies(i));
        }
        assertThat(MessageFormat.write(read)).isEqualTo(golden(GoldenMessages.REPAIR));
    }

    @Test
    void theGoldenExchangeIsReadAndWritten() throws IOException {
        byte[] bytes = golden(GoldenMessages.EXCHANGE);
        Reconciliation read =
                ReconciliationFormat.read(bytes, GoldenMessages.exchange().side(), "golden");
        assertThat(read).usingRecursiveComparison().isEqualTo(GoldenMessages.exchange());
        assertThat(ReconciliationFormat.write(read)).isEqualTo(bytes);
        Damage.isAlwaysRefused(
                bytes,
                (in, source) ->
                        ReconciliationFormat.read(
                                in.readAllBytes(), GoldenMessages.exchange().side(), source));
    }

    @Test
    void theGoldenKeyGroupIsReadAndWritten() throws IOException {
        byte[] bytes = golden(GoldenMessages.KEY_GROUP);
        KeyGroupFacts read = KeyGroupFormat.read(bytes, "golden");
        assertThat(read).isEqualTo(GoldenMessages.keyGroup());
        assertThat(KeyGroupFormat.write(read)).isEqualTo(bytes);
        Damage.isAlwaysRefused(
                bytes, (in, source) -> KeyGroupFormat.read(in.readAllBytes(), source));
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenMessages.DIGEST, GoldenMessages.FILTER, GoldenMessages.REPAIR})
    void damageIsAlwaysRefused(String name) throws IOException {
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
    void damagedBytesOtherVersionsAndNothingAreRefused() throws IOException {
        byte[] damaged = golden(GoldenMessages.DIGEST);
        damaged[40]++;
        admit(damaged);
        admit(null);
        admit(new byte[0]);
        assertThat(refusals).hasSize(3).containsOnly(Refusal.DAMAGED);
        refusals.clear();
        admit(ofVersion(1, golden(GoldenMessages.DIGEST)));
        admit(ofVersion(3, golden(GoldenMessages.DIGEST)));
        assertThat(refusals).containsExactly(Refusal.VERSION, Refusal.VERSION);
    }

    /** The same envelope with another version, and a right checksum. */
    static byte[] ofVersion(int version, byte[] bytes) {
        var changed = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        changed.putShort(6, (short) version);
        int headerEnd = 32 + changed.getInt(20);
        var crc = new CRC32C();
        crc.update(changed.array(), 0, headerEnd);
        changed.putInt(headerEnd, (int) crc.getValue());
        return changed.array();
    }
}
