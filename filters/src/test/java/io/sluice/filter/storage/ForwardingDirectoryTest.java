/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ForwardingDirectoryTest extends DirectoryContract {

    private final CrashableDirectory inner = new CrashableDirectory();

    @Override
    Directory create() {
        return new ForwardingDirectory(inner) {};
    }

    @Test
    void messagesNameTheOtherDirectory() {
        assertThat(create()).hasToString(inner.toString());
    }
}
