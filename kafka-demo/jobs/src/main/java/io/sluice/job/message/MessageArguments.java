/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.message.Field;
import io.sluice.message.SchemaRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say what a job reads from a record of any kind. */
public final class MessageArguments {
    public static final String ID = "--id";
    public static final String TIME = "--time";
    public static final String STRICT = "--strict";

    private static final String KEY = "key";
    private static final String EVENT_TIME = "event";

    @Option(
            names = ID,
            split = ",",
            paramLabel = "FIELD,...",
            description =
                    "Where the id is: "
                            + Field.SYNTAX
                            + ". A pointer is one of RFC 6901, as in json:/order/id. Several fields"
                            + " make one id. Default: key; counters have none, and machines have"
                            + " --key instead.")
    private @Nullable List<String> id;

    @Option(
            names = STRICT,
            negatable = true,
            fallbackValue = "true",
            description =
                    "Read JSON and Avro to the end, so that a value that is cut off behind its id"
                            + " cannot be read; --no-strict reads only what it needs. Default:"
                            + " true.")
    private @Nullable Boolean strict;

    @Option(
            names = TIME,
            paramLabel = "TIME",
            description =
                    "The clock of --within or --window: 'event' for the timestamps of Kafka's"
                        + " records, 'processing' for the time of arrival, or the field of a record"
                        + " with a number of --time-unit since 1970, or date and time, as in"
                        + " json:/created or header:time. Default: event.")
    private @Nullable String time;

    @Mixin public final UnreadableArguments unreadable = new UnreadableArguments();

    @Mixin public final TimeFormatArguments timeFormat = new TimeFormatArguments();

    @Mixin final RegistryArguments registry = new RegistryArguments();

    private @Nullable Field timeField;

    /** Checks all of them, of a job that writes nothing in Avro. */
    public void check(List<Field> others) {
        check(others, null);
    }

    /**
     * Checks all of them.
     *
     * @param others fields that the job reads besides id and time
     * @param written what it writes in Avro; null if nothing
     * @throws IllegalArgumentException if one is wrong, missing, or has no effect
     */
    public void check(List<Field> others, @Nullable String written) {
        List<Field> fields = new ArrayList<>(idFields());
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(ID + " must name a field: write " + Field.SYNTAX);
        }
        fields.addAll(others);
        if (timeField() != null) {
            fields.add(timeField());
        }
        registry.check(fields.stream().anyMatch(Field::isAvro) ? "a field in Avro" : written);
    }

    /** Returns the registry of schemas; null if nothing is in Avro. */
    @Nullable
    public SchemaRegistry registry() {
        return registry.registry();
    }

    /** Returns whether the command line says where the id is. */
    public boolean hasId() {
        return id != null;
    }

    /** Returns the fields of the id. */
    public List<Field> idFields() {
        return fields(ID, id == null ? List.of(KEY) : id);
    }

    /** Returns the fields of an option. */
    public static List<Field> fields(String option, List<String> texts) {
        List<Field> fields = new ArrayList<>();
        for (String text : texts) {
            fields.add(field(option, text));
        }
        return fields;
    }

    /**
     * Returns the field of an option.
     *
     * @throws IllegalArgumentException if it is none, naming the option
     */
    public static Field field(String option, String text) {
        try {
            return Field.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    /** Returns the fields as options write them. */
    public static String text(List<Field> fields) {
        return String.join(",", fields.stream().map(Field::toString).toList());
    }

    /** Returns the field of the time; null if the time is Kafka's, or that of arrival. */
    @Nullable
    public Field timeField() {
        if (timeField == null && !isProcessingTime() && !isKafkasTime()) {
            timeField = field(TIME, timeText());
        }
        return timeField;
    }

    private String timeText() {
        return time == null ? EVENT_TIME : time;
    }

    /** Returns whether the clock is that of Kafka's timestamps. */
    public boolean isKafkasTime() {
        return timeText().equalsIgnoreCase(EVENT_TIME);
    }

    /** Returns whether the clock is that of arrival. */
    public boolean isProcessingTime() {
        return timeText().equalsIgnoreCase("processing");
    }

    boolean isStrict() {
        return strict == null || strict;
    }

    /** Returns the options that say what is remembered of a record, with their values. */
    public Map<String, String> ofTheState() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put(ID, text(idFields()));
        options.put(
                TIME,
                timeField() == null ? timeText().toLowerCase(Locale.ROOT) : timeField().toString());
        options.put(TimeFormatArguments.TIME_UNIT, timeFormat.unitText());
        options.put(TimeFormatArguments.TIME_ZONE, timeFormat.zoneText());
        options.put(UnreadableArguments.TOMBSTONES, unreadable.tombstonesText());
        return options;
    }

    /** Returns the options that were given, by their names. */
    public List<String> given() {
        return Stream.of(
                        given(ID, id, STRICT, strict, TIME, time),
                        unreadable.given(),
                        timeFormat.given(),
                        registry.given())
                .flatMap(each -> each)
                .toList();
    }

    /** Returns, of pairs of a name and a value, the names of values that are there. */
    static Stream<String> given(Object... namesAndValues) {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                given.add((String) namesAndValues[i]);
            }
        }
        return given.stream();
    }
}
