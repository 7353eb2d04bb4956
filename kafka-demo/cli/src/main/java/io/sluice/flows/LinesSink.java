/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Writes a file on this machine, a line for each value, from one subtask.
 *
 * @param file that does not exist
 * @param header what precedes the lines
 * @param line of a value, without its end
 */
record LinesSink<T>(String file, String header, Line<T> line) implements Sink<T> {
    /** How a value is written. */
    interface Line<T> extends Function<T, String>, Serializable {}

    /** Writes {@code values} into {@code folder}, in the order in which they come. */
    static <T> void write(
            DataStream<T> values, Path folder, String name, String header, Line<T> line) {
        values.sinkTo(new LinesSink<>(folder.resolve(name).toString(), header, line))
                .setParallelism(1)
                .uid("write-" + name)
                .name("write-" + name);
    }

    @Override
    public SinkWriter<T> createWriter(WriterInitContext context) throws IOException {
        BufferedWriter out = Files.newBufferedWriter(Path.of(file), StandardCharsets.UTF_8);
        out.write(header);
        return new Writer<>(out, line);
    }

    private record Writer<T>(BufferedWriter out, Line<T> line) implements SinkWriter<T> {
        @Override
        public void write(T value, Context context) throws IOException {
            out.write(line.apply(value));
            out.write('\n');
        }

        @Override
        public void flush(boolean endOfInput) throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
