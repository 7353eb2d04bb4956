/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class OrdersJobTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();

    @Test
    void anOrderThatIsSentAgainWithinTheHourIsDropped() throws Exception {
        Order first = new Order("a", 10, 0);
        Order again = new Order("a", 10, HOUR - 1);
        Order other = new Order("b", 20, HOUR);

        assertThat(run(first, again, other)).containsExactlyInAnyOrder(first, other);
    }

    @Test
    void mainPrintsEachOrderOnce() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            OrdersJob.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("id=a")
                .containsOnlyOnce("id=b");
    }

    private static List<Order> run(Order... orders) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Order> once = OrdersJob.once(OrdersJob.withTimestamps(env.fromData(orders)));
        List<Order> passed = new ArrayList<>();
        try (CloseableIterator<Order> results = once.executeAndCollect()) {
            results.forEachRemaining(passed::add);
        }
        return passed;
    }
}
