/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.chrono.IsoChronology;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import javax.annotation.Nullable;

/**
 * How the text of a time is read. It is a number of units since 1970, with or without a fraction or
 * an exponent; or date and time in the order of ISO 8601, with a {@code T} or a space between them,
 * and then an offset with or without a colon, {@code Z}, {@code UTC} or {@code GMT}. Immutable.
 *
 * @param unit what numbers count; null for milliseconds, which {@link TimeReader} then doubts
 * @param zone of date and time without an offset; null if those cannot be read
 */
public record TimeFormat(@Nullable EpochUnit unit, @Nullable ZoneId zone) implements Serializable {
    /** Milliseconds, and date and time with an offset. */
    public static final TimeFormat DEFAULT = new TimeFormat(null, null);

    private static final long serialVersionUID = 1L;

    /** A longer number is not a time, and its digits are not worth the work. */
    private static final int MAX_NUMBER = 64;

    /** Digits before the point that a long may have. */
    private static final int MAX_DIGITS = 19;

    /** Characters of a date; what separates it from the time is behind them. */
    private static final int DATE = 10;

    private static final DateTimeFormatter TEXT =
            new DateTimeFormatterBuilder()
                    .parseCaseInsensitive()
                    .append(DateTimeFormatter.ISO_LOCAL_DATE)
                    .optionalStart()
                    .appendLiteral('T')
                    .optionalEnd()
                    .optionalStart()
                    .appendLiteral(' ')
                    .optionalEnd()
                    .append(DateTimeFormatter.ISO_LOCAL_TIME)
                    .optionalStart()
                    .appendLiteral(' ')
                    .optionalEnd()
                    .optionalStart()
                    .parseLenient()
                    // Leniently also +HHmm and +HH:mm.
                    .appendOffset("+HH", "Z")
                    .optionalEnd()
                    .toFormatter(Locale.ROOT)
                    .withResolverStyle(ResolverStyle.STRICT)
                    .withChronology(IsoChronology.INSTANCE);

    /**
     * Returns the time in {@code text} in ms since 1970, rounded down; {@link KafkaMessage#NO_TIME}
     * if it is not one.
     *
     * @param known the unit that the text's own schema gives it; null if there is none
     */
    long millis(String text, @Nullable EpochUnit known) {
        String stripped = text.strip();
        try {
            return isNumber(stripped)
                    ? ofNumber(stripped, known == null ? unit() : known)
                    : ofText(stripped);
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            return KafkaMessage.NO_TIME;
        }
    }

    /** Returns whether {@code text}, if it is a time at all, is a number. */
    static boolean isNumber(String text) {
        return text.indexOf(':') < 0;
    }

    /** Returns whether {@code text} would be a time if there were a zone. */
    boolean lacksZone(String text) {
        return zone == null
                && !isNumber(text)
                && new TimeFormat(unit, ZoneOffset.UTC).millis(text, null) != KafkaMessage.NO_TIME;
    }

    private static long ofNumber(String text, @Nullable EpochUnit given) {
        EpochUnit unit = given == null ? EpochUnit.MILLIS : given;
        if (text.length() > MAX_NUMBER) {
            return KafkaMessage.NO_TIME;
        }
        if (isInteger(text)) {
            return unit.millis(Long.parseLong(text));
        }
        BigDecimal millis = new BigDecimal(text).scaleByPowerOfTen(unit.powerOfTen());
        // An exponent may claim digits that no memory holds.
        long digits = (long) millis.precision() - millis.scale();
        if (digits > MAX_DIGITS) {
            return KafkaMessage.NO_TIME;
        }
        if (digits <= 0) {
            return Math.min(0, millis.signum());
        }
        return millis.setScale(0, RoundingMode.FLOOR).longValueExact();
    }

    private static boolean isInteger(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.' || c == 'e' || c == 'E') {
                return false;
            }
        }
        return true;
    }

    private long ofText(String text) {
        // All that the format would let pass as well.
        if (text.length() <= DATE + 1
                || "Tt ".indexOf(text.charAt(DATE)) < 0
                || text.charAt(DATE + 1) == ' ') {
            return KafkaMessage.NO_TIME;
        }
        String time = text.replace(',', '.');
        ZoneId ownZone = zone;
        int name = time.length() - 3;
        if (time.regionMatches(true, name, "UTC", 0, 3)
                || time.regionMatches(true, name, "GMT", 0, 3)) {
            time = time.substring(0, name).stripTrailing();
            ownZone = ZoneOffset.UTC;
        }
        TemporalAccessor parsed = TEXT.parse(time);
        if (parsed.isSupported(ChronoField.OFFSET_SECONDS)) {
            ownZone = ZoneOffset.ofTotalSeconds(parsed.get(ChronoField.OFFSET_SECONDS));
        }
        return ownZone == null
                ? KafkaMessage.NO_TIME
                : LocalDateTime.from(parsed).atZone(ownZone).toInstant().toEpochMilli();
    }
}
