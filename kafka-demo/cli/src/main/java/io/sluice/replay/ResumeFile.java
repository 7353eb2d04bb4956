/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.capture.AtomicFile;
import io.sluice.capture.CaptureSet;
import io.sluice.capture.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps the progress of a replay, so that it can continue after it died. The sequence of records is
 * a function of the captures and the options, so the file names these, and a replay with others is
 * refused instead of continued with wrong records. Not thread-safe.
 */
public final class ResumeFile {
    private static final String FORMAT = "sluice-resume";

    /** Identifies the cluster and the topic by their ids. */
    private static final int VERSION = 2;

    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .build();

    private record Document(
            String format, int version, Map<String, String> replay, long record, boolean done) {}

    private final Path file;
    private final Map<String, String> replay;
    private long record;
    private boolean done;

    private ResumeFile(Path file, Map<String, String> replay) {
        this.file = file;
        this.replay = replay;
    }

    /**
     * Opens {@code file}, or creates it.
     *
     * @param topic where the records go now: any other topic lacks the records before {@link
     *     #record}
     * @throws IOException if it belongs to another replay, is not such a file, or cannot be written
     */
    public static ResumeFile open(
            Path file, CaptureSet captures, ReplayOptions options, ReplayTopic.Identity topic)
            throws IOException {
        ResumeFile resume = new ResumeFile(file, describe(captures, options, topic));
        if (Files.exists(file)) {
            resume.read();
        } else {
            resume.write();
        }
        return resume;
    }

    /** The record to continue with; all records before it are on the topic. */
    public long record() {
        return record;
    }

    /** Whether the replay is complete. */
    public boolean isDone() {
        return done;
    }

    /** Records that all records before {@code resumePoint} are acknowledged. */
    public void reached(long resumePoint) throws IOException {
        if (resumePoint > record) {
            record = resumePoint;
            write();
        }
    }

    /** Records that nothing is left to send. */
    public void finish() throws IOException {
        done = true;
        write();
    }

    private void read() throws IOException {
        Document document =
                JsonFile.read(
                        file,
                        JSON,
                        Document.class,
                        problem -> refuse("is not a resume file (" + problem + ")"));
        if (!FORMAT.equals(document.format()) || document.version() != VERSION) {
            throw refuse(
                    "is "
                            + document.format()
                            + " version "
                            + document.version()
                            + ", not "
                            + FORMAT
                            + " version "
                            + VERSION);
        }
        if (document.replay() == null || document.record() < 0) {
            throw refuse("names no replay or no record");
        }
        Map<String, String> all = new TreeMap<>(replay);
        all.putAll(document.replay());
        for (String name : all.keySet()) {
            String kept = document.replay().getOrDefault(name, "nothing");
            String asked = replay.getOrDefault(name, "nothing");
            if (!asked.equals(kept)) {
                throw refuse(
                        "belongs to another replay: its "
                                + name
                                + " is "
                                + kept
                                + ", not "
                                + asked);
            }
        }
        record = document.record();
        done = document.done();
    }

    private void write() throws IOException {
        Document document = new Document(FORMAT, VERSION, replay, record, done);
        AtomicFile.write(file, out -> out.write(JSON.writeValueAsBytes(document)));
    }

    /** Everything that the sequence of records depends on, and where they go. */
    private static Map<String, String> describe(
            CaptureSet captures, ReplayOptions options, ReplayTopic.Identity topic)
            throws IOException {
        Map<String, String> replay = new TreeMap<>();
        int number = 0;
        for (CaptureSet.Capture capture : captures.captures()) {
            number++;
            replay.put("capture " + number, describe(capture.path()));
            if (capture.times().isPresent()) {
                replay.put("times " + number, describe(capture.times().get()));
            }
        }
        replay.put("inside tunnels", Boolean.toString(captures.insideTunnels()));
        replay.put("topic", options.topic());
        replay.put("topic id", topic.topicId());
        replay.put("cluster", topic.clusterId());
        replay.put("faults", options.faults().toString());
        replay.put("loops", Integer.toString(options.loops()));
        replay.put("malformed", Long.toString(options.malformed()));
        replay.put("first operation id", Long.toString(options.firstOperationId()));
        return replay;
    }

    private static String describe(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": is not a file that can be read again: check the path");
        }
        return file.toAbsolutePath().normalize() + " of " + Files.size(file) + " bytes";
    }

    private IOException refuse(String problem) {
        return new IOException(
                file + ": " + problem + ": give another --resume, or delete it to start over");
    }
}
