/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in network order inside byte arrays. */
public final class Octets {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private Octets() {}

    static int u8(byte[] bytes, int at) {
        return bytes[at] & 0xFF;
    }

    public static int u16(byte[] bytes, int at) {
        return (short) SHORTS.get(bytes, at) & 0xFFFF;
    }

    static int i32(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at);
    }

    static long i64(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    public static void putU16(byte[] bytes, int at, int value) {
        SHORTS.set(bytes, at, (short) value);
    }

    public static void putI32(byte[] bytes, int at, int value) {
        INTS.set(bytes, at, value);
    }

    public static void putI64(byte[] bytes, int at, long value) {
        LONGS.set(bytes, at, value);
    }
}
