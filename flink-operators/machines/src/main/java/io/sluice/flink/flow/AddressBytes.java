/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** An address as {@link Address#BYTES} bytes, in network order. */
@Internal
public final class AddressBytes {
    private AddressBytes() {}

    public static void write(Address address, DataOutputView target) throws IOException {
        target.writeLong(address.high());
        target.writeLong(address.low());
    }

    public static Address read(DataInputView source) throws IOException {
        return new Address(source.readLong(), source.readLong());
    }
}
