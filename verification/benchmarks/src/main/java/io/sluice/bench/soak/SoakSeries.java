/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.util.Locale;

/**
 * What is sampled, and by how much the median of the last third of a run may exceed that of the
 * middle third: {@code absolute + relative} times the latter. Something that is leaked at each
 * checkpoint grows by the checkpoints of a third, hundreds in an hour.
 */
enum SoakSeries {
    /** Summaries of level files are on the heap: a byte for each id, whose number varies. */
    HEAP_BESIDES_SUMMARIES("heap, less a byte for each id that the state holds", "MB", 0.05, 8),
    RSS("resident memory of the process", "MB", 0.02, 16),
    METASPACE("metaspace", "MB", 0.01, 0.5),
    DIRECT("direct and mapped buffers", "MB", 0.01, 1),
    MANAGED("managed memory in use", "MB", 0.01, 1),
    CLASSES("loaded classes", "classes", 0, 20),
    METRICS("registered metrics", "metrics", 0, 2),
    THREADS("threads", "threads", 0, 2),
    HANDLES("open file handles", "handles", 0, 4),
    WORKING_FILES("files in the working directory", "files", 0, 8),
    WORKING_BESIDES_FLAGS("working directory, less the last checkpoint of the state", "MB", 0.1, 8),
    WINDOW_CHECKPOINT_FILES("window: files in the checkpoint directory", "files", 0, 4),
    STATE_CHECKPOINT_FILES("state: files in the checkpoint directory", "files", 0, 12),
    /** A checkpoint may be being written beside the last one. */
    WINDOW_CHECKPOINT_DISK("window: bytes in the checkpoint directory", "MB", 1, 1),
    WINDOW_CHECKPOINT("window: last checkpoint", "MB", 0.05, 0.5),
    WINDOW_HELD("window: ids held", "ids", 0.02, 0),
    /** How many ids live depends on the rate; what is not forgotten shows here. */
    STATE_HELD_PER_RECORD("state: ids held, for a record of the last lifetime", "ids", 0.15, 0.1),
    STATE_CHECKPOINT_PER_ID("state: last checkpoint, for an id held", "bytes", 0.15, 0),
    STATE_CHECKPOINT_DISK_PER_ID("state: checkpoint directory, for an id held", "bytes", 0.25, 0),
    HEAP("heap after a collection", "MB"),
    STATE_HELD("state: ids held", "ids"),
    STATE_CHECKPOINT("state: last checkpoint", "MB"),
    WINDOW_RATE("window: rate", "ids/s"),
    STATE_RATE("state: rate", "ids/s"),
    WINDOW_CHECKPOINT_TIME("window: time of the last checkpoint", "ms"),
    STATE_CHECKPOINT_TIME("state: time of the last checkpoint", "ms");

    private final String title;
    private final String unit;
    private final double relative;
    private final double absolute;

    SoakSeries(String title, String unit, double relative, double absolute) {
        this.title = title;
        this.unit = unit;
        this.relative = relative;
        this.absolute = absolute;
    }

    /** Depends on the load of the machine, so that nothing follows from its growth. */
    SoakSeries(String title, String unit) {
        this(title, unit, Double.NaN, Double.NaN);
    }

    String title() {
        return title;
    }

    String unit() {
        return unit;
    }

    /** A part of the names of figures, and a column. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether its growth is a failure. */
    boolean isJudged() {
        return !Double.isNaN(absolute);
    }

    /** Whether there are systems that do not tell it. */
    boolean maybeUnknown() {
        return this == RSS || this == HANDLES;
    }

    /** How much the last third may exceed a middle third of this median. */
    double allowed(double middle) {
        return absolute + relative * middle;
    }
}
