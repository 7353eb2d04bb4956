/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many copies of its id a record stands for. */
class CopiesTest {

    private static KafkaMessage read(@Nullable String multiplicity, String value)
            throws IOException {
        MessageLayout layout =
                new MessageLayout(
                        List.of(Field.parse("json:/id")),
                        null,
                        false,
                        TimeFormat.DEFAULT,
                        null,
                        null,
                        true);
        return new MessageReader(
                        layout.repeating(multiplicity == null ? null : Field.parse(multiplicity)))
                .read(new ConsumerRecord<>("in", 0, 0, null, value.getBytes(UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1; 1",
                "0; 0",
                "-0.0; 0",
                "\"12\"; 12",
                "3.0e1; 30",
                "9007199254740992; 9007199254740992",
                "9007199254740993; multiplicity-too-large",
                "1e999999999; multiplicity-too-large",
                "-1; negative-multiplicity",
                "-9007199254740993; multiplicity-too-large",
                "1.5; fractional-multiplicity",
                "\"two\"; no-multiplicity",
                "null; no-multiplicity",
                "[2]; no-multiplicity",
                "true; no-multiplicity",
            })
    void aMultiplicityIsAWholeNumberFromZero(String number, String expected) throws IOException {
        KafkaMessage message = read("json:/n", "{\"id\":7,\"n\":" + number + "}");
        assertThat(
                        message.problem() == null
                                ? Long.toString(message.copies())
                                : message.problem().code())
                .isEqualTo(expected);
    }

    @Test
    void aFieldThatIsMissingIsToldUnlessThereAreAlternatives() throws IOException {
        assertThat(read("json:/n", "{\"id\":7}").problem().code()).isEqualTo("no-multiplicity");
        assertThat(read("json:/n|json:/m", "{\"id\":7,\"m\":3}").copies()).isEqualTo(3);
    }

    @Test
    void withoutAFieldARecordIsOneCopy() throws IOException {
        assertThat(read(null, "{\"id\":7,\"n\":5}").copies()).isEqualTo(1);
    }

    @Test
    void theIdIsReadFirst() throws IOException {
        KafkaMessage message = read("json:/n", "{\"n\":\"many\"}");
        assertThat(message.problem().code()).isEqualTo("no-id");
        assertThat(message.copies()).isEqualTo(1);
    }
}
