/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.util.TimeUtils;

/**
 * Reads a {@link MachineDefinition} that is written in YAML, of which JSON is a part:
 *
 * <pre>
 *   machine: orders
 *   initial: none
 *   timeToLive: 7 d                # of states that have none of their own
 *   states:
 *     ordered:
 *     paid: {timeToLive: 30 d}
 *     shipped: {terminal: true}
 *   events: [refund]               # besides those of the transitions
 *   transitions:
 *     - {from: none, event: order, to: ordered}
 *     - {from: ordered, event: pay, to: paid, output: payment}
 *     - {from: [ordered, paid], event: note}        # the state stays
 *     - {from: paid, event: ship, to: shipped}
 * </pre>
 *
 * <p>Times are texts like those of Flink's options. Messages name line and fix.
 */
final class MachineText {

    /** Most characters of a text. The largest machine has fewer. */
    static final int MAX_LENGTH = 1 << 20;

    /** Bytes of a character in UTF-8, for each {@code char}. */
    private static final int MAX_BYTES_OF_CHAR = 3;

    private final String source;

    private MachineText(String source) {
        this.source = source;
    }

    static MachineDefinition parse(String text, String source) {
        if (text.length() > MAX_LENGTH) {
            throw tooLong(source);
        }
        return new MachineText(source).read(YamlNode.parse(text, source));
    }

    static MachineDefinition read(Path file) throws IOException {
        String source = file.toString();
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES_OF_CHAR * MAX_LENGTH + 1);
        } catch (NoSuchFileException e) {
            throw new IOException(source + " cannot be read: there is no such file.", e);
        } catch (AccessDeniedException e) {
            throw new IOException(source + " cannot be read: access is denied.", e);
        } catch (IOException e) {
            throw new IOException(source + " cannot be read: " + e.getMessage(), e);
        }
        if (bytes.length > MAX_BYTES_OF_CHAR * MAX_LENGTH) {
            throw tooLong(source);
        }
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return parse(text.toString(), source);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    source + ": this is not UTF-8: save the file as UTF-8.", e);
        }
    }

    private static IllegalArgumentException tooLong(String source) {
        return new IllegalArgumentException(
                source
                        + ": a machine has at most "
                        + MAX_LENGTH
                        + " characters: name the file of a machine.");
    }

    private MachineDefinition read(YamlNode root) {
        Map<String, YamlNode> fields =
                fields(
                        root,
                        "a machine",
                        List.of(
                                "machine",
                                "initial",
                                "timeToLive",
                                "states",
                                "events",
                                "transitions"));
        YamlNode name = required(fields, "machine", root, "a machine");
        MachineBuilder<String, String> builder = named(name);
        builder.at(where(root));
        YamlNode time = fields.get("timeToLive");
        if (time != null) {
            declare(builder, time, () -> builder.timeToLive(duration(time)));
        }
        YamlNode first = required(fields, "initial", root, "a machine");
        declare(builder, first, () -> builder.initial(text(first)));
        entries(required(fields, "states", root, "a machine"), "states")
                .forEach((state, its) -> state(builder, state, its));
        YamlNode events = fields.get("events");
        if (events != null) {
            for (YamlNode each : items(events)) {
                declare(builder, each, () -> builder.event(text(each)));
            }
        }
        for (YamlNode each : items(required(fields, "transitions", root, "a machine"))) {
            transition(builder, each);
        }
        return builder.at(where(root)).build();
    }

    private void state(MachineBuilder<String, String> builder, String state, YamlNode its) {
        Map<String, YamlNode> fields =
                its.isNull()
                        ? Map.of()
                        : fields(its, "state '" + state + "'", List.of("timeToLive", "terminal"));
        boolean isTerminal = fields.containsKey("terminal") && bool(fields.get("terminal"));
        YamlNode time = fields.get("timeToLive");
        declare(
                builder,
                its,
                () -> {
                    if (time == null) {
                        return isTerminal ? builder.terminal(state) : builder.state(state);
                    }
                    Duration ttl = duration(time);
                    return isTerminal ? builder.terminal(state, ttl) : builder.state(state, ttl);
                });
    }

    private void transition(MachineBuilder<String, String> builder, YamlNode its) {
        Map<String, YamlNode> fields =
                fields(its, "a transition", List.of("from", "event", "to", "output"));
        YamlNode to = fields.get("to");
        YamlNode output = fields.get("output");
        for (YamlNode from : items(required(fields, "from", its, "a transition"))) {
            for (YamlNode event : items(required(fields, "event", its, "a transition"))) {
                String next = text(to == null ? from : to);
                declare(
                        builder,
                        its,
                        () ->
                                output == null
                                        ? builder.transition(text(from), text(event), next)
                                        : builder.transition(
                                                text(from), text(event), next, text(output)));
            }
        }
    }

    /** Makes a declaration whose messages begin with the place of {@code at}. */
    private void declare(
            MachineBuilder<String, String> builder, YamlNode at, Declaration declaration) {
        builder.at(where(at));
        MachineBuilder<String, String> unused = declaration.make();
    }

    private interface Declaration {
        MachineBuilder<String, String> make();
    }

    private MachineBuilder<String, String> named(YamlNode node) {
        String name = text(node);
        try {
            return MachineDefinition.named(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(where(node) + e.getMessage(), e);
        }
    }

    private Map<String, YamlNode> entries(YamlNode node, String what) {
        if (node.entries() == null) {
            throw wrong(node, what + " must be a map: write a line 'name: value' for each.");
        }
        return node.entries();
    }

    private Map<String, YamlNode> fields(YamlNode node, String what, List<String> known) {
        Map<String, YamlNode> fields = entries(node, what);
        fields.forEach(
                (field, value) -> {
                    if (!known.contains(field)) {
                        throw wrong(
                                value,
                                what
                                        + " has no field '"
                                        + field
                                        + "'; its fields are "
                                        + String.join(", ", known)
                                        + ": correct or remove it.");
                    }
                });
        return fields;
    }

    private YamlNode required(
            Map<String, YamlNode> fields, String field, YamlNode of, String what) {
        YamlNode value = fields.get(field);
        if (value == null) {
            throw wrong(of, what + " needs the field '" + field + "': add it.");
        }
        return value;
    }

    /** Returns the items of a list; a single value is a list of one. */
    private List<YamlNode> items(YamlNode node) {
        return node.items() == null ? new ArrayList<>(List.of(node)) : node.items();
    }

    private String text(YamlNode node) {
        if (node.isNull()) {
            throw wrong(
                    node,
                    "a name is expected here, but there is none: write one. 'null' and '~' are"
                            + " names only in quotes.");
        }
        if (node.text() == null) {
            throw wrong(node, "a name is expected here: write a text.");
        }
        return node.text();
    }

    private boolean bool(@Nullable YamlNode node) {
        return switch (text(node).toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(node, "'terminal' must be true or false: correct it.");
        };
    }

    private Duration duration(YamlNode node) {
        String text = text(node);
        // Flink takes a number alone for milliseconds, which hardly anybody means.
        boolean hasUnit = text.chars().anyMatch(Character::isLetter);
        try {
            if (hasUnit) {
                return TimeUtils.parseDuration(text);
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw notATime(node, text, e);
        }
        throw notATime(node, text, null);
    }

    private IllegalArgumentException notATime(
            YamlNode node, String text, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                where(node)
                        + "'"
                        + text
                        + "' is not a time: write a number and a unit, such as 30 s, 10 min or 7"
                        + " d.",
                cause);
    }

    private String where(YamlNode node) {
        return node.where(source);
    }

    private IllegalArgumentException wrong(YamlNode node, String message) {
        return new IllegalArgumentException(where(node) + message);
    }
}
