/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Judged by how the orders were made. */
class OrdersTest {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final int ORDERS = 500;

    private final List<Event> events = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    private final Random random = new Random(4);
    private long now;

    private void happens(String order, String event) {
        // Never a week, nor a time of which slices decide whether it is one.
        now += 1 + (long) (random.nextDouble() * 6 * DAY);
        events.add(new Event(order, event, now));
    }

    @Test
    void whatIsPaidTwiceShippedTooEarlyOrAbandonedIsFound() throws Exception {
        for (int i = 0; i < ORDERS; i++) {
            String order = "order-" + i;
            now = 1_700_000_000_000L + i * DAY / 24;
            happens(order, "order");
            switch (random.nextInt(6)) {
                case 0 -> {
                    happens(order, "pay");
                    happens(order, "ship");
                    expected.add("FINISHED " + order + " done ship");
                }
                case 1 -> {
                    happens(order, "pay");
                    happens(order, "pay");
                    happens(order, "ship");
                    expected.add("OUTPUT " + order + " paid paid twice");
                    expected.add("FINISHED " + order + " done ship");
                }
                case 2 -> {
                    happens(order, "pay");
                    happens(order, "ship");
                    happens(order, "pay");
                    expected.add("FINISHED " + order + " done ship");
                    expected.add("OUTPUT " + order + " done paid twice");
                }
                case 3 -> {
                    happens(order, "ship");
                    happens(order, "pay");
                    expected.add("OUTPUT " + order + " shipped unpaid shipped before paid");
                    expected.add("FINISHED " + order + " done pay");
                }
                case 4 -> expected.add("TIMED_OUT " + order + " ordered");
                default -> {
                    happens(order, "pay");
                    happens(order, "order");
                    expected.add("ILLEGAL " + order + " paid order");
                    expected.add("TIMED_OUT " + order + " paid");
                }
            }
        }
        events.sort(Comparator.comparingLong(Event::timestamp));
        long end = events.get(events.size() - 1).timestamp() + 8 * DAY;
        events.add(new Event("last", "order", end));
        expected.add("OPEN last ordered");

        assertThat(Followed.reports("orders.yaml", events))
                .isEqualTo(expected.stream().sorted().toList());
    }
}
