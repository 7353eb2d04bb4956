/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Direct buffers of the JVM that are freed together, at {@link #close}, not when the collector gets
 * to them: a program that replaces large filters would otherwise run into the JVM's limit on direct
 * memory while most of it is garbage.
 *
 * <p>A JVM that does not let a buffer be freed leaves it to the collector. Not thread-safe.
 */
final class DirectMemory implements IntFunction<ByteBuffer>, AutoCloseable {

    /**
     * Takes a direct buffer that is not a slice and frees it; null if this JVM has no such thing.
     */
    private static final MethodHandle FREE = free();

    private final List<ByteBuffer> buffers = new ArrayList<>();

    private static MethodHandle free() {
        try {
            // By name: the compiler warns of the class, and no option silences that.
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return MethodHandles.lookup()
                    .findVirtual(
                            type,
                            "invokeCleaner",
                            MethodType.methodType(void.class, ByteBuffer.class))
                    .bindTo(instance.get(null));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    @Override
    public ByteBuffer apply(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        buffers.add(buffer);
        return buffer;
    }

    @Override
    public void close() {
        for (ByteBuffer buffer : buffers) {
            free(buffer);
        }
        buffers.clear();
    }

    private static void free(ByteBuffer buffer) {
        if (FREE == null) {
            return;
        }
        try {
            FREE.invoke(buffer);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("memory could not be freed", e);
        }
    }
}
