/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.traffic.SplitMix64;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import io.sluice.record.RecordLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a shared topic may contain: tombstones, text, random bytes, and records of ours that were
 * cut, changed on the way, or written by a newer program. Chosen by seed.
 */
final class MalformedRecords {
    private static final int KINDS = 6;
    private static final int MAX_RANDOM_BYTES = 96;

    private final PacketRecordCodec codec = new PacketRecordCodec();
    private final PacketRecord scratch = new PacketRecord();
    private final SplitMix64 random;
    private long count;

    MalformedRecords(long seed) {
        random = new SplitMix64(SplitMix64.mix(seed));
    }

    /** The value of the next foreign record, made from {@code sample}; empty for a tombstone. */
    Optional<byte[]> next(PacketRecord sample) {
        byte[] record = new byte[PacketRecordCodec.encodedLength(sample)];
        codec.encode(sample, record, 0);
        return switch ((int) (count++ % KINDS)) {
            case 0 -> Optional.of(randomBytes());
            case 1 -> Optional.empty();
            case 2 ->
                    Optional.of(
                            "{\"event\":\"click\",\"id\":%d}"
                                    .formatted(count)
                                    .getBytes(StandardCharsets.UTF_8));
            case 3 -> Optional.of(Arrays.copyOf(record, 1 + random.nextInt(record.length - 1)));
            case 4 -> {
                int bit = 8 * RecordLayout.OPERATION_ID + random.nextInt(64);
                record[bit / 8] ^= (byte) (1 << (bit % 8));
                yield Optional.of(record);
            }
            default -> {
                record[RecordLayout.VERSION] = RecordLayout.VERSION_2 + 1;
                yield Optional.of(record);
            }
        };
    }

    /** Why a receiver should refuse {@code value}. */
    DecodeResult reasonFor(Optional<byte[]> value) {
        return codec.decode(value.orElse(null), scratch);
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[random.nextInt(MAX_RANDOM_BYTES)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextLong();
        }
        return bytes;
    }
}
