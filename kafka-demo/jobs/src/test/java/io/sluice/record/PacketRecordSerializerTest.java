/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.junit.jupiter.api.Test;

/** Flink's own suite for serializers. */
class PacketRecordSerializerTest extends SerializerTestBase<PacketRecord> {
    @Override
    protected TypeSerializer<PacketRecord> createSerializer() {
        return PacketRecordSerializer.INSTANCE;
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    protected Class<PacketRecord> getTypeClass() {
        return PacketRecord.class;
    }

    @Override
    protected PacketRecord[] getTestData() {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        PacketRecord[] data = new PacketRecord[50];
        for (int i = 0; i < data.length; i++) {
            data[i] = TestRecords.next(random);
        }
        return data;
    }

    @Test
    void flinkFindsTheTypeByItself() {
        TypeInformation<PacketRecord> found = TypeInformation.of(PacketRecord.class);
        assertThat(found.createSerializer(new SerializerConfigImpl()))
                .isSameAs(PacketRecordSerializer.INSTANCE);
    }
}
