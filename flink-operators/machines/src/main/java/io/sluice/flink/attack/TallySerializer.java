/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.AddressBytes;
import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Address (16 bytes), port (4), attempts, completed, refused, first and last milliseconds (8 each),
 * then the targets: 255 for none, 254 and the words of a sketch, or the number of hashes (1) and
 * the hashes (8 each); big-endian.
 */
@Internal
public final class TallySerializer extends TypeSerializerSingleton<Tally> {

    static final TallySerializer INSTANCE = new TallySerializer();

    private static final int NO_TARGETS = 255;
    private static final int SKETCH = 254;

    private TallySerializer() {}

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Tally createInstance() {
        return new Tally(AttackKind.SYN_FLOOD, new Party(new Address(0, 0), 0), 0);
    }

    @Override
    public Tally copy(Tally from) {
        return from.copy();
    }

    @Override
    public Tally copy(Tally from, Tally reuse) {
        return from.copy();
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Tally tally, DataOutputView target) throws IOException {
        target.writeLong(tally.party().address().high());
        target.writeLong(tally.party().address().low());
        target.writeInt(tally.party().port());
        target.writeLong(tally.attempts());
        target.writeLong(tally.completed());
        target.writeLong(tally.refused());
        target.writeLong(tally.firstMillis());
        target.writeLong(tally.lastMillis());
        DistinctTargets targets = tally.distinctTargets();
        if (targets == null) {
            target.writeByte(NO_TARGETS);
            return;
        }
        long[] words = targets.words();
        target.writeByte(targets.isSketch() ? SKETCH : words.length);
        for (long word : words) {
            target.writeLong(word);
        }
    }

    @Override
    public Tally deserialize(DataInputView source) throws IOException {
        Party party = new Party(AddressBytes.read(source), source.readInt());
        TallyCounts counts =
                new TallyCounts(source.readLong(), source.readLong(), source.readLong());
        long firstMillis = source.readLong();
        long lastMillis = source.readLong();
        return new Tally(party, party.hash(), counts, firstMillis, lastMillis, targets(source));
    }

    private static DistinctTargets targets(DataInputView source) throws IOException {
        int form = source.readUnsignedByte();
        if (form == NO_TARGETS) {
            return null;
        }
        if (form != SKETCH && form > DistinctTargets.EXACT) {
            throw new IOException("damaged tally: " + form + " targets");
        }
        long[] words = new long[form == SKETCH ? DistinctTargets.SKETCH_WORDS : form];
        for (int i = 0; i < words.length; i++) {
            words[i] = source.readLong();
        }
        return DistinctTargets.of(form == SKETCH, words);
    }

    @Override
    public Tally deserialize(Tally reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<Tally> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Tally> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
