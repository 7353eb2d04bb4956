/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs, while this is open. */
public final class LoggedLines implements AutoCloseable {

    private final Logger logger;
    private final Lines lines = new Lines();

    private LoggedLines(Logger logger) {
        this.logger = logger;
        lines.start();
        logger.addAppender(lines);
    }

    public static LoggedLines of(Class<?> type) {
        return new LoggedLines((Logger) LogManager.getLogger(type));
    }

    /** Level and message of each line. */
    public List<String> all() {
        return List.copyOf(lines.messages);
    }

    @Override
    public void close() {
        logger.removeAppender(lines);
        lines.stop();
    }

    private static final class Lines extends AbstractAppender {
        private final List<String> messages = new CopyOnWriteArrayList<>();

        Lines() {
            super("lines", null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            messages.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
        }
    }
}
