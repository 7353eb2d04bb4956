/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.OptionRange;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.KafkaJobOptions;
import java.util.function.Consumer;
import org.apache.flink.configuration.MemorySize;

/**
 * How many subtasks of a job fit into the heap of this process. All of them share it, so the job
 * must not be started with more.
 *
 * @param bytes that the process may take
 */
record LocalHeap(long bytes) {
    static final String OPTION = "--heap";

    /** Flink, and a checkpoint's copies of pages while they are written. */
    static final MemorySize PROCESS = MemorySize.ofMebiBytes(256);

    /** What Kafka's clients buffer for one subtask: what was fetched, and what is to be sent. */
    static final MemorySize CLIENTS = MemorySize.ofMebiBytes(128);

    static LocalHeap ofThisProcess() {
        return new LocalHeap(Runtime.getRuntime().maxMemory());
    }

    /**
     * Returns the parallelism: the one that is asked for or, without one, as many subtasks as there
     * are processors and as fit.
     *
     * @param note told if fewer fit
     * @throws IllegalArgumentException if what is asked for does not fit
     */
    int parallelism(KafkaJobOptions options, int processors, Consumer<String> note) {
        MemorySize subtask = options.heapOfASubtask().add(CLIENTS);
        long fit = Math.max(0, bytes - PROCESS.getBytes()) / subtask.getBytes();
        int wanted = options.parallelism().orElse(processors);
        if (wanted <= fit) {
            return wanted;
        }
        if (options.parallelism().isPresent() || fit == 0) {
            throw new IllegalArgumentException(
                    String.format(
                            "%s %d does not fit: each subtask may take %s (%s, and %s for Kafka's"
                                    + " clients) and the process %s, but its heap is %s: give it"
                                    + " more with %s, or lower %s or %s",
                            JobArguments.PARALLELISM,
                            options.parallelism().orElse(1),
                            OptionRange.text(subtask),
                            FilterArguments.MEMORY,
                            OptionRange.text(CLIENTS),
                            OptionRange.text(PROCESS),
                            text(),
                            OPTION,
                            FilterArguments.MEMORY,
                            JobArguments.PARALLELISM));
        }
        note.accept(
                String.format(
                        "%s is %d, as many subtasks as fit into a heap of %s (of %s each); %s"
                                + " gives more",
                        JobArguments.PARALLELISM, fit, text(), OptionRange.text(subtask), OPTION));
        return (int) fit;
    }

    private String text() {
        return OptionRange.text(MemorySize.ofMebiBytes(bytes >> 20));
    }
}
