/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.flink.machine.MachineDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.functions.TableSemantics;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.table.types.logical.utils.LogicalTypeUtils;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.RowKind;

/** Reads the arguments of a call. Each error names the argument and what to do about it. */
final class Arguments {

    static final String INPUT = "input";
    static final String KEEP = "keep";
    static final String SEQUENCE_BY = "sequence_by";
    static final String STATE_TTL = "state_ttl";
    static final String RESET_TTL_ON_DUPLICATE = "reset_ttl_on_duplicate";
    static final String DURATION = "duration";
    static final String INACTIVITY = "inactivity";
    static final String EVENT = "event";
    static final String MACHINE = "machine";

    /** Flink's own argument of all functions. It follows the declared ones. */
    static final String ON_TIME = "on_time";

    /** Flink's own too. */
    private static final String UID = "uid";

    /** Flink's name for the column that it adds, to which it appends a 0 if it is taken. */
    private static final String ROWTIME = "rowtime";

    static final DataType INTERVAL = DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND(3));

    /** The longest time-to-live that Flink takes. */
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

    private final String function;
    private final List<StaticArgument> declared;
    private final CallContext call;

    Arguments(String function, List<StaticArgument> declared, CallContext call) {
        this.function = function;
        this.declared = declared;
        this.call = call;
    }

    /** Returns the names of all arguments that the function has, Flink's own ones included. */
    List<String> known() {
        return Stream.concat(
                        declared.stream().map(StaticArgument::getName), Stream.of(ON_TIME, UID))
                .toList();
    }

    /** Returns the columns of {@link #INPUT}, which has keys and whose rows come as they arrive. */
    Input input() {
        requireKeys();
        return inputOfOneKeyToo();
    }

    /** Returns the same; without {@code PARTITION BY} all rows are of one key. */
    Input inputOfOneKeyToo() {
        Input input = columns();
        if (table().orderByColumns().length > 0) {
            throw invalid(
                    INPUT,
                    "has an ORDER BY, which holds rows back and drops late ones",
                    "Leave it out, and name its columns in sequence_by => DESCRIPTOR(...).");
        }
        return input;
    }

    private TableSemantics table() {
        return call.getTableSemantics(position(INPUT))
                .orElseThrow(
                        () ->
                                invalid(
                                        INPUT,
                                        "is not a table",
                                        "Write input => TABLE t PARTITION BY id."));
    }

    /**
     * Returns the same; there are keys, and the rows may have an order, in which Flink brings them.
     */
    Input inputInAnyOrder() {
        requireKeys();
        return columns();
    }

    private void requireKeys() {
        if (table().partitionByColumns().length == 0) {
            throw invalid(
                    INPUT,
                    "has no PARTITION BY, so all of its rows would be of one key",
                    "Write input => TABLE t PARTITION BY id.");
        }
    }

    private Input columns() {
        TableSemantics table = table();
        checkKeys(table);
        Input input = Input.of(table);
        if (input.names().isEmpty()) {
            throw invalid(
                    INPUT,
                    "has only columns of PARTITION BY, and the function returns the others",
                    "Use SELECT DISTINCT, or a view with one more column.");
        }
        return input;
    }

    /** Refuses an input that updates or deletes rows; whether it does is known when specialized. */
    void requireInserts() {
        table().changelogMode()
                .filter(mode -> !mode.containsOnly(RowKind.INSERT))
                .ifPresent(
                        mode -> {
                            throw invalid(
                                    INPUT,
                                    "has updates or deletes, which only keep => 'first' without"
                                            + " sequence_by takes",
                                    "Use ROW_NUMBER(), which follows them, or TO_CHANGELOG, which"
                                            + " makes a row of each change.");
                        });
    }

    /** Checks the column of {@link #ON_TIME}, if there is that argument. */
    void checkTime(Input input) {
        timeColumns().ifPresent(columns -> checkTime(input, columns));
    }

    private void checkTime(Input input, List<String> columns) {
        if (columns.isEmpty()) {
            throw invalid(
                    ON_TIME,
                    "names no column",
                    "Write on_time => DESCRIPTOR(ts), or leave it out.");
        }
        for (int clock : input.clocks()) {
            String name = input.names().get(clock);
            if (columns.contains(name)) {
                throw invalid(
                        ON_TIME,
                        "names '" + name + "', which is PROCTIME(): no row has a value there",
                        "Name the column that has the watermark, or use DEDUPLICATE_KEEP_FIRST"
                                + " without on_time for the first row to arrive.");
            }
        }
        if (input.hasColumn(ROWTIME) && input.hasColumn(ROWTIME + 0)) {
            throw invalid(
                    INPUT,
                    "has columns 'rowtime' and 'rowtime0', and on_time adds one that would be"
                            + " called like one of them",
                    "Rename one of the two in a view.");
        }
    }

    /** Refuses {@link #ON_TIME} for a function that goes by arrival. */
    void refuseTime() {
        if (timeColumns().isPresent()) {
            throw invalid(
                    ON_TIME,
                    "has no effect here",
                    "Use DEDUPLICATE_KEEP_FIRST for the first row in event time, or sequence_by =>"
                            + " DESCRIPTOR(...) for the order of a column.");
        }
    }

    /** Known only while arguments are checked. */
    private Optional<List<String>> timeColumns() {
        int position = declared.size();
        return position < call.getArgumentDataTypes().size() && !call.isArgumentNull(position)
                ? call.getArgumentValue(position, ColumnList.class).map(ColumnList::getNames)
                : Optional.empty();
    }

    private void checkKeys(TableSemantics table) {
        RowType row = LogicalTypeUtils.toRowType(table.dataType().getLogicalType());
        for (int key : table.partitionByColumns()) {
            LogicalType type = row.getTypeAt(key);
            String problem = "has PARTITION BY '" + row.getFieldNames().get(key) + "', ";
            if (LogicalTypeChecks.isProctimeAttribute(type)) {
                throw invalid(
                        INPUT,
                        problem
                                + "which is PROCTIME(): no row has a value there, so all would be"
                                + " of one key",
                        "Name the columns that make the key.");
            }
            if (hasNoOrderOfItsOwn(type)) {
                throw invalid(
                        INPUT,
                        problem
                                + "whose type "
                                + type.asSummaryString()
                                + " has a map or a multiset: equal ones may be stored in unequal"
                                + " orders, so rows of one key would be taken for those of several",
                        "Name columns that it is made of.");
            }
        }
    }

    private static boolean hasNoOrderOfItsOwn(LogicalType type) {
        return type.is(LogicalTypeRoot.MAP)
                || type.is(LogicalTypeRoot.MULTISET)
                || type.getChildren().stream().anyMatch(Arguments::hasNoOrderOfItsOwn);
    }

    /** Returns {@link RowToKeep#FIRST} if the argument is missing. */
    RowToKeep keep() {
        return value(KEEP, String.class)
                .map(
                        name ->
                                switch (name.toLowerCase(Locale.ROOT)) {
                                    case "first" -> RowToKeep.FIRST;
                                    case "last" -> RowToKeep.LAST;
                                    default ->
                                            throw invalid(
                                                    KEEP,
                                                    "is '" + name + "'",
                                                    "Write 'first' or 'last'.");
                                })
                .orElse(RowToKeep.FIRST);
    }

    /** Returns positions among the columns that are not keys; empty if rows are not ordered. */
    int[] sequence(Input input) {
        return value(SEQUENCE_BY, ColumnList.class)
                .map(ColumnList::getNames)
                .orElse(List.of())
                .stream()
                .mapToInt(name -> sequenceColumn(input, name))
                .toArray();
    }

    private int sequenceColumn(Input input, String name) {
        if (input.keys().contains(name)) {
            throw invalid(
                    SEQUENCE_BY,
                    "names '" + name + "', which is the same in all rows of a key",
                    "Leave it out.");
        }
        int position = input.names().indexOf(name);
        if (position < 0) {
            throw invalid(
                    SEQUENCE_BY,
                    "names '" + name + "', which is not a column of the input",
                    "Its columns are " + String.join(", ", input.names()) + ".");
        }
        Sequence.unordered(input.types().get(position))
                .ifPresent(
                        type -> {
                            throw invalid(
                                    SEQUENCE_BY,
                                    "names '" + name + "' of type " + type + ", which has no order",
                                    "Name a number, text, time or binary column.");
                        });
        return position;
    }

    /** Returns the position of the column with the event, among those that are not keys. */
    int event(Input input) {
        List<String> names =
                value(EVENT, ColumnList.class).map(ColumnList::getNames).orElse(List.of());
        if (names.size() != 1) {
            throw invalid(EVENT, "does not name one column", "Write event => DESCRIPTOR(type).");
        }
        int position = input.names().indexOf(names.get(0));
        if (position < 0) {
            throw invalid(
                    EVENT,
                    "names '"
                            + names.get(0)
                            + "', which is not a column of the input besides those of PARTITION BY",
                    "They are " + String.join(", ", input.names()) + ".");
        }
        LogicalType type = input.types().get(position);
        if (!type.is(LogicalTypeFamily.CHARACTER_STRING)) {
            throw invalid(
                    EVENT,
                    "names '" + names.get(0) + "' of type " + type.asSummaryString(),
                    "Name a column of text, or CAST it to STRING in a view.");
        }
        return position;
    }

    /** Returns the machine whose text the call has. */
    MachineDefinition machine() {
        String text =
                value(MACHINE, String.class)
                        .orElseThrow(
                                () ->
                                        invalid(
                                                MACHINE,
                                                "is missing",
                                                "Write the text of a machine, in YAML or JSON."));
        try {
            return MachineDefinition.parse(text, MACHINE);
        } catch (IllegalArgumentException e) {
            throw invalid(MACHINE, "is not a machine", e.getMessage());
        }
    }

    /** Empty if the argument is missing; zero is for ever. */
    Optional<Duration> stateTtl() {
        return value(STATE_TTL, Duration.class)
                .map(
                        ttl -> {
                            if (ttl.isNegative()) {
                                throw invalid(
                                        STATE_TTL,
                                        "is negative",
                                        "Write an interval such as INTERVAL '1' HOUR, or INTERVAL"
                                                + " '0' SECOND to keep keys for ever.");
                            }
                            return ttl;
                        });
    }

    /** Returns how long a key is known, by the call or the session; zero is for ever. */
    Duration timeToLive(ReadableConfig session) {
        return stateTtl().orElseGet(() -> session.get(ExecutionConfigOptions.IDLE_STATE_RETENTION));
    }

    /** Returns whether duplicates begin the time-to-live anew; false without a time-to-live. */
    boolean resetsTimeToLive(ReadableConfig session) {
        return resetTtlOnDuplicate() && !timeToLive(session).isZero();
    }

    /**
     * Returns the longest that a flag may be there, in a filter of one time bucket twice its
     * time-to-live; zero is for ever.
     */
    Duration timeToLiveOfKeptRow(ReadableConfig session) {
        Duration ttl = timeToLive(session);
        return ttl.compareTo(LONGEST.dividedBy(2)) < 0 ? ttl.plus(ttl) : LONGEST;
    }

    /** Returns whether the call has {@code on_time}; known only when it is specialized. */
    boolean hasTime() {
        return call.getTableSemantics(position(INPUT)).orElseThrow().timeColumn() >= 0;
    }

    boolean resetTtlOnDuplicate() {
        return value(RESET_TTL_ON_DUPLICATE, Boolean.class).orElse(true);
    }

    /** Returns a length of time that must be positive; 0 if the argument is missing. */
    long positiveMillis(String name) {
        return value(name, Duration.class)
                .map(
                        length -> {
                            if (length.isNegative() || length.isZero()) {
                                throw invalid(
                                        name,
                                        "is not positive",
                                        "Write an interval such as INTERVAL '1' HOUR.");
                            }
                            return length.toMillis();
                        })
                .orElse(0L);
    }

    ValidationException invalid(String name, String problem, String fix) {
        return call.newValidationError(
                "%s", function + ": argument '" + name + "' " + problem + ". " + fix);
    }

    private <T> Optional<T> value(String name, Class<T> type) {
        int position = position(name);
        Optional<T> value;
        try {
            if (call.isArgumentNull(position)) {
                return Optional.empty();
            }
            value =
                    call.isArgumentLiteral(position)
                            ? call.getArgumentValue(position, type)
                            : Optional.empty();
        } catch (RuntimeException e) {
            // The parser takes literals that the planner cannot read; it would call that a bug.
            throw invalid(
                    name,
                    "cannot be read: " + e.getMessage(),
                    "The first number of an interval has at most two digits, or three if it says"
                            + " so: INTERVAL '365' DAY(3), INTERVAL '16:40' MINUTE TO SECOND for"
                            + " 1000 seconds. An interval is not less than a millisecond.");
        }
        if (value.isEmpty()) {
            throw invalid(name, "is not a constant", "Write its value out in the call.");
        }
        return value;
    }

    private int position(String name) {
        return IntStream.range(0, declared.size())
                .filter(i -> declared.get(i).getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
