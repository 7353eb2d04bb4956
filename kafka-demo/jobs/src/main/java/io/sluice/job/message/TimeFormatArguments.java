/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.message.EpochUnit;
import io.sluice.message.TimeFormat;
import io.sluice.message.TimeReader;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say how a time in a record is read. */
public final class TimeFormatArguments {
    public static final String TIME_UNIT = "--time-unit";
    public static final String TIME_ZONE = "--time-zone";

    @Option(
            names = TIME_UNIT,
            converter = OfUnit.class,
            paramLabel = "UNIT",
            description =
                    "What times that are numbers count since 1970: s, ms, us or ns; Kafka's own"
                            + " timestamps too. Default: ms, and the job does not start if its"
                            + " times seem to count something else. A logical type of Avro says"
                            + " it itself.")
    private @Nullable EpochUnit unit;

    @Option(
            names = TIME_ZONE,
            converter = OfZone.class,
            paramLabel = "ZONE",
            description =
                    "The zone of times in the field of --time that are written without one, as UTC,"
                            + " +02:00 or Europe/Berlin. Default: such a time cannot be read.")
    private @Nullable ZoneId zone;

    /** Units as options write them. */
    static final class OfUnit implements ITypeConverter<EpochUnit> {
        @Override
        public EpochUnit convert(String text) {
            return EpochUnit.ofCode(text)
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "'" + text + "' is not a unit: write s, ms, us or ns"));
        }
    }

    /** Zones as options write them. */
    static final class OfZone implements ITypeConverter<ZoneId> {
        @Override
        public ZoneId convert(String text) {
            try {
                return ZoneId.of(text);
            } catch (DateTimeException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a time zone: write UTC, +02:00 or Europe/Berlin");
            }
        }
    }

    /** Returns whether the command line says what numbers count. */
    public boolean hasUnit() {
        return unit != null;
    }

    /** Returns whether the command line names a zone. */
    public boolean hasZone() {
        return zone != null;
    }

    /** Returns the unit; that of the default if none is given. */
    public EpochUnit unit() {
        return unit == null ? EpochUnit.MILLIS : unit;
    }

    /** The unit as an option writes it; that of the default if none is given. */
    String unitText() {
        return unit().code();
    }

    /** The zone as an option writes it; {@code none} if none is given. */
    String zoneText() {
        return zone == null ? "none" : zone.getId();
    }

    /** Returns the options that were given, by their names. */
    Stream<String> given() {
        return MessageArguments.given(TIME_UNIT, unit, TIME_ZONE, zone);
    }

    TimeFormat format() {
        return new TimeFormat(unit, zone);
    }

    /**
     * Returns why a job does not go on with such times, and what to say.
     *
     * @param times that seem to count another unit than milliseconds
     */
    static String refusal(TimeReader times) {
        EpochUnit seems = times.seemingUnit();
        if (seems == null) {
            throw new IllegalArgumentException("the times seem to be right");
        }
        String date =
                DateTimeFormatter.ofPattern("MMMM u", Locale.ENGLISH)
                        .format(
                                Instant.ofEpochMilli(times.firstSeeming())
                                        .atOffset(ZoneOffset.UTC));
        return "times lie in "
                + date
                + " (the first: "
                + times.firstSeeming()
                + "), as if they were "
                + seems.name().toLowerCase(Locale.ROOT)
                + ": say "
                + TIME_UNIT
                + " "
                + seems.code()
                + ", or "
                + TIME_UNIT
                + " ms if they are right";
    }
}
