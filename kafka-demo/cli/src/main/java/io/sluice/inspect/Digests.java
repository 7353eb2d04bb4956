/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What equal bytes have in common. Stateless. */
final class Digests {

    private Digests() {}

    static byte[] of(byte[] bytes) {
        return sha256().digest(bytes);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }
}
