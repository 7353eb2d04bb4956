/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Operations on a topic. */
class RecordsFuzzTest {

    @FuzzTest
    void anOperation(byte[] bytes) {
        byte[] righted = righted(bytes);
        PacketRecordCodec codec = new PacketRecordCodec();
        PacketRecord record = new PacketRecord();
        DecodeResult result = codec.decode(righted, record);
        check(result != DecodeResult.WRONG_CHECKSUM, "the checksum was right");
        if (result == DecodeResult.OK) {
            Reading.accept();
            byte[] written = new byte[PacketRecordCodec.MAX_BYTES];
            int length = codec.encode(record, written, 0);
            check(
                    Arrays.equals(Arrays.copyOf(written, length), righted),
                    "what is written is what was read");
        }
    }

    /** With the checksum at the end that it would have. */
    private static byte[] righted(byte[] bytes) {
        byte[] righted = bytes.clone();
        int body = righted.length - Integer.BYTES;
        if (body >= 0) {
            CRC32C crc = new CRC32C();
            crc.update(righted, 0, body);
            ByteBuffer.wrap(righted)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(body, (int) crc.getValue());
        }
        return righted;
    }
}
