/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times as people write them. */
class TimeFormatTest {
    private static final TimeFormat BERLIN = new TimeFormat(null, ZoneId.of("Europe/Berlin"));

    private static long millis(String text) {
        return TimeFormat.DEFAULT.millis(text, null);
    }

    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    private static TimeFormat in(@Nullable EpochUnit unit) {
        return new TimeFormat(unit, null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2025-04-25T09:44:25Z",
                "2025-04-25t09:44:25z",
                "2025-04-25 09:44:25Z",
                "2025-04-25 09:44:25+0000",
                "2025-04-25 09:44:25+00:00",
                "2025-04-25 09:44:25+00",
                "2025-04-25 09:44:25 +0000",
                "2025-04-25 09:44:25 UTC",
                "2025-04-25T09:44:25 GMT",
                "2025-04-25T11:44:25+0200",
                "2025-04-25T04:14:25-05:30",
                " 2025-04-25 09:44:25.000000Z\n"
            })
    void dateAndTimeWithAnOffset(String text) {
        assertThat(millis(text)).isEqualTo(at("2025-04-25T09:44:25Z"));
        assertThat(BERLIN.millis(text, null)).as("its own").isEqualTo(at("2025-04-25T09:44:25Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2022-02-24 13:25:16.5+00:00|2022-02-24T13:25:16.500Z",
                "2022-02-24 13:25:16,123Z|2022-02-24T13:25:16.123Z",
                "2022-02-24 13:25:16.123999+01:00|2022-02-24T12:25:16.123Z",
                "2022-02-24T13:25:16.123456789Z|2022-02-24T13:25:16.123Z",
                "2022-02-24T13:25Z|2022-02-24T13:25:00Z",
                "1969-12-31T23:59:59.9999Z|1969-12-31T23:59:59.999Z"
            })
    void fractionsOfSecondsAreRoundedDownToMilliseconds(String text, String instant) {
        assertThat(millis(text)).isEqualTo(at(instant));
    }

    @Test
    void dateAndTimeWithoutAnOffsetNeedAZone() {
        String text = "2025-04-25 09:44:25";

        assertThat(millis(text)).isEqualTo(KafkaMessage.NO_TIME);
        assertThat(TimeFormat.DEFAULT.lacksZone(text)).isTrue();
        assertThat(BERLIN.millis(text, null)).isEqualTo(at("2025-04-25T07:44:25Z"));
        assertThat(BERLIN.lacksZone(text)).isFalse();
        assertThat(BERLIN.millis("2025-01-25T09:44:25.25", null))
                .as("in winter")
                .isEqualTo(at("2025-01-25T08:44:25.250Z"));
        assertThat(BERLIN.millis("2025-10-26 02:30:00", null))
                .as("the first of two")
                .isEqualTo(at("2025-10-26T00:30:00Z"));
    }

    @ParameterizedTest
    @CsvSource({
        "1732700000,SECONDS,1732700000000",
        "1732700000.123,SECONDS,1732700000123",
        "1732700000.1239,SECONDS,1732700000123",
        "1732700000123e-3,SECONDS,1732700000123",
        "17327e5,SECONDS,1732700000000",
        "-0.0001,SECONDS,-1",
        "0.0001,SECONDS,0",
        "1e-2000000000,SECONDS,0",
        "1732700000123,MILLIS,1732700000123",
        "1732700000123.9,MILLIS,1732700000123",
        "1732700000123999,MICROS,1732700000123",
        "1732700000123999999,NANOS,1732700000123",
        "1732700000123999999.5,NANOS,1732700000123",
        "1.732700000123e18,NANOS,1732700000123",
        "-1,MICROS,-1"
    })
    void numbersCountTheUnitThatIsGiven(String text, EpochUnit unit, long millis) {
        assertThat(in(unit).millis(text, null)).isEqualTo(millis);
        assertThat(in(EpochUnit.SECONDS).millis(text, unit)).as("by schema").isEqualTo(millis);
    }

    @Test
    void withoutAUnitNumbersAreMilliseconds() {
        assertThat(millis("1732700000123")).isEqualTo(1_732_700_000_123L);
        assertThat(millis("1732700000.9")).isEqualTo(1_732_700_000L);
    }

    @Test
    void whatIsNoTimeIsNotReadAndTakesNoMemory() {
        for (String text :
                List.of(
                        "",
                        " ",
                        "soon",
                        "2025-04-25",
                        "2025-04-25Z",
                        "2025-04-2509:44:25Z",
                        "2025-04-25T 09:44:25Z",
                        "2025-04-25_09:44:25Z",
                        "2025-04-25 09:44:25 Europe/Berlin",
                        "2025-02-29 09:44:25Z",
                        "2025-04-25 24:00:00Z",
                        "25.04.2025 09:44:25Z",
                        "09:44:25Z",
                        ":",
                        "1e30",
                        "1e999999999",
                        "1e99999999999",
                        "9223372036854775808",
                        "0x10",
                        "NaN",
                        "9".repeat(5_000),
                        "0.".concat("9".repeat(5_000)))) {
            assertThat(millis(text)).as(text).isEqualTo(KafkaMessage.NO_TIME);
            assertThat(TimeFormat.DEFAULT.lacksZone(text)).as(text).isFalse();
        }
        assertThat(in(EpochUnit.SECONDS).millis("9223372036854775807", null))
                .isEqualTo(KafkaMessage.NO_TIME);
    }

    @ParameterizedTest
    @CsvSource({
        "1732700000,SECONDS",
        "1732700000123456,MICROS",
        "1732700000123456789,NANOS",
        "1732700000123,",
        "0,",
        "40000,",
        "-1732700000,",
        "4102444800000,",
        "9223372036854775807,"
    })
    void aNumberSeemsToBeInTheUnitInWhichItIsATimeOfOurDays(long number, EpochUnit unit) {
        assertThat(EpochUnit.seeming(number)).isEqualTo(unit);
    }

    @Test
    void readersNoteWhatMostNumbersSeemToCountAndWhatCouldNotBeRead() {
        TimeReader times = new TimeReader(TimeFormat.DEFAULT);
        for (String text : List.of("1732700000", "soon", "1732700000123", "1732700001.5")) {
            long unused = times.millis(text, null);
        }
        long unusedToo = times.millis("2025-04-25 09:44:25", null);

        assertThat(times.seemingUnit()).isEqualTo(EpochUnit.SECONDS);
        assertThat(times.firstSeeming()).isEqualTo(1_732_700_000);
        assertThat(times.unreadable()).isEqualTo(2);
        assertThat(times.firstUnreadable()).isEqualTo("'soon'");

        long unusedThree = times.millis(1_732_700_000_123L);
        assertThat(times.seemingUnit()).as("no more than half").isNull();
    }

    @Test
    void aUnitThatSomebodyGaveIsBelieved() {
        TimeReader given = new TimeReader(in(EpochUnit.MILLIS));
        TimeReader bySchema = new TimeReader(TimeFormat.DEFAULT);

        for (int i = 0; i < TimeReader.CERTAIN; i++) {
            assertThat(given.millis("1732700000", null)).isEqualTo(1_732_700_000);
            assertThat(given.millis(1_732_700_000L)).isEqualTo(1_732_700_000);
            assertThat(bySchema.millis("1732700000", EpochUnit.MILLIS)).isEqualTo(1_732_700_000);
            assertThat(bySchema.millis("1970-01-21T01:18:20Z", null)).isEqualTo(1_732_700_000);
        }

        assertThat(given.seemingUnit()).isNull();
        assertThat(bySchema.seemingUnit()).isNull();
        assertThat(bySchema.isCertain()).isFalse();
    }

    @Test
    void onlyNumbersThatAllSeemSoAreCertain() {
        TimeReader all = new TimeReader(TimeFormat.DEFAULT);
        TimeReader allButOne = new TimeReader(TimeFormat.DEFAULT);
        for (int i = 0; i < TimeReader.CERTAIN; i++) {
            assertThat(all.isCertain()).isFalse();
            long unused = all.millis(1_732_700_000L + i);
            long unusedToo = allButOne.millis(i == 50 ? 5 : 1_732_700_000L + i);
        }

        assertThat(all.isCertain()).isTrue();
        assertThat(allButOne.isCertain()).isFalse();
    }

    @Test
    void whatIsShownOfATextHasNoControlCharactersAndAnEnd() {
        TimeReader times = new TimeReader(TimeFormat.DEFAULT);
        long unused = times.millis("a\u001b[2J" + "x".repeat(5_000), null);

        assertThat(times.firstUnreadable()).startsWith("'a?[2Jx").endsWith("x...'").hasSize(105);

        TimeReader zoneless = new TimeReader(TimeFormat.DEFAULT);
        long unusedToo = zoneless.millis("2025-04-25 09:44:25", null);
        assertThat(zoneless.firstUnreadable())
                .isEqualTo(
                        "'2025-04-25 09:44:25' has no zone: say --time-zone, as in --time-zone"
                                + " UTC");

        TimeReader missing = new TimeReader(TimeFormat.DEFAULT);
        long unusedThree = missing.millis(null, null);
        assertThat(missing.firstUnreadable()).isEqualTo("no such field");
    }
}
