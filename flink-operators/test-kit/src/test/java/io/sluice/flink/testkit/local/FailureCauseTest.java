/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class FailureCauseTest {
    @Test
    void anExceptionOfSluiceIsToldAndNotItsCauseOrWhatIsAroundIt() {
        Throwable failure =
                new IOException(
                        "Failed to deserialize consumer record due to",
                        new NoAnswerException(
                                "no registry answers: start it\nand more",
                                new IOException("received no bytes")));

        assertThat(FailureCause.of(failure)).isInstanceOf(NoAnswerException.class);
        assertThat(FailureCause.line(failure)).isEqualTo("no registry answers: start it");
    }

    @Test
    void withoutOneTheInnermostMessageIsToldWithItsClass() {
        Throwable failure =
                new IllegalStateException(
                        "Could not forward element",
                        new UncheckedIOException(
                                "seven is not allowed", new IOException((String) null)));

        assertThat(FailureCause.line(failure))
                .isEqualTo("java.io.UncheckedIOException: seven is not allowed");
    }

    @Test
    void anExceptionWithoutAnyMessageIsToldByItsClass() {
        assertThat(FailureCause.line(new IllegalStateException((String) null)))
                .isEqualTo("java.lang.IllegalStateException");
    }

    /** Stands for an exception whose message is for the user. */
    private static final class NoAnswerException extends IOException {
        private static final long serialVersionUID = 1L;

        NoAnswerException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
