/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * The id that Zeek, Suricata, Arkime and others give to a flow, so that it can be looked up there:
 * Community ID, version 1, with the default seed of 0 (<a
 * href="https://github.com/corelight/community-id-spec">specification</a>). It is the same for both
 * directions, and for connections that follow each other between the same ports.
 */
final class CommunityId {
    private static final String VERSION = "1:";
    private static final short SEED = 0;
    private static final byte TCP = 6;
    private static final byte PADDING = 0;
    private static final int MOST_BYTES = 2 + 2 * Address.BYTES + 2 + 2 * Short.BYTES;

    private CommunityId() {}

    /** Returns the id of a TCP connection between these ends. */
    static String of(Endpoints ends) {
        Endpoints ordered = isOrdered(ends) ? ends : ends.reversed();
        ByteBuffer bytes =
                ByteBuffer.allocate(MOST_BYTES)
                        .putShort(SEED)
                        .put(bytes(ordered.from()))
                        .put(bytes(ordered.to()))
                        .put(TCP)
                        .put(PADDING)
                        .putShort((short) ordered.fromPort())
                        .putShort((short) ordered.toPort())
                        .flip();
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            digest.update(bytes);
            return VERSION + Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }

    /** The lower address comes first; of equal ones, the lower port. */
    private static boolean isOrdered(Endpoints ends) {
        int order = Arrays.compareUnsigned(bytes(ends.from()), bytes(ends.to()));
        return order < 0 || (order == 0 && ends.fromPort() <= ends.toPort());
    }

    private static byte[] bytes(Address address) {
        return address.isIpv4()
                ? ByteBuffer.allocate(Integer.BYTES).putInt((int) address.low()).array()
                : ByteBuffer.allocate(Address.BYTES)
                        .putLong(address.high())
                        .putLong(address.low())
                        .array();
    }
}
