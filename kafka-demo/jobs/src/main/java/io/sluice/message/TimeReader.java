/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import javax.annotation.Nullable;

/**
 * Reads times as a {@link TimeFormat} says, and notes what does not look right: texts that are not
 * times, and, if nobody gave a unit, numbers that seem to count another one than milliseconds. Used
 * by one thread.
 */
public final class TimeReader {
    /** This many numbers in a row, from the first on, are not an accident. */
    public static final int CERTAIN = 100;

    /** As much as is shown of a text that is not a time. */
    private static final int MAX_SHOWN = 100;

    private final TimeFormat format;

    private long numbers;
    private long seeming;
    private @Nullable EpochUnit seemingUnit;
    private long firstSeeming;

    private long unreadable;
    private String firstUnreadable = "";

    TimeReader(TimeFormat format) {
        this.format = format;
    }

    /**
     * Returns the time in {@code text} in ms since 1970; {@link KafkaMessage#NO_TIME}, which is
     * counted, if it is not one.
     *
     * @param text null if there is none
     * @param known the unit that its own schema gives it; null if there is none
     */
    long millis(@Nullable String text, @Nullable EpochUnit known) {
        long millis = text == null ? KafkaMessage.NO_TIME : format.millis(text, known);
        if (millis == KafkaMessage.NO_TIME) {
            unreadable++;
            if (unreadable == 1) {
                firstUnreadable = text == null ? "no such field" : shown(text);
            }
        } else if (format.unit() == null && known == null && TimeFormat.isNumber(text)) {
            doubt(millis);
        }
        return millis;
    }

    /** Returns the time that a timestamp of Kafka's is, in ms since 1970. */
    long millis(long timestamp) {
        EpochUnit unit = format.unit();
        if (unit == null) {
            doubt(timestamp);
            return timestamp;
        }
        try {
            return unit.millis(timestamp);
        } catch (ArithmeticException e) {
            return KafkaMessage.NO_TIME;
        }
    }

    private void doubt(long millis) {
        numbers++;
        EpochUnit seems = EpochUnit.seeming(millis);
        if (seems != null) {
            if (seemingUnit == null) {
                seemingUnit = seems;
                firstSeeming = millis;
            }
            if (seems == seemingUnit) {
                seeming++;
            }
        }
    }

    private String shown(String text) {
        StringBuilder shown = new StringBuilder("'");
        int length = Math.min(text.length(), MAX_SHOWN);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            shown.append(Character.isISOControl(c) ? '?' : c);
        }
        shown.append(length < text.length() ? "...'" : "'");
        if (format.lacksZone(text)) {
            shown.append(" has no zone: say --time-zone, as in --time-zone UTC");
        }
        return shown.toString();
    }

    /** How many texts were not times. */
    public long unreadable() {
        return unreadable;
    }

    /** The first text that was not a time, in quotes, and what would help; empty if all were. */
    public String firstUnreadable() {
        return firstUnreadable;
    }

    /** How many numbers were taken for milliseconds because nobody gave a unit. */
    public long numbers() {
        return numbers;
    }

    /**
     * Returns the unit that more than half of those numbers seem to count; null if that is
     * milliseconds, or cannot be said.
     */
    @Nullable
    public EpochUnit seemingUnit() {
        return 2 * seeming > numbers ? seemingUnit : null;
    }

    /** The first of the numbers that made it seem so. */
    public long firstSeeming() {
        return firstSeeming;
    }

    /**
     * Returns whether exactly {@value #CERTAIN} numbers have been read, and all seem to count
     * another unit: it is too late then for an accident, and not too late to stop.
     */
    public boolean isCertain() {
        return numbers == CERTAIN && seeming == CERTAIN;
    }
}
