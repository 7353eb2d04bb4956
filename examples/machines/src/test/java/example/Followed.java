/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.flink.machine.MachineReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;

/** Runs the job, and sorts what it reports. */
final class Followed {

    private Followed() {}

    /**
     * Returns the reports as texts, sorted, without those of the kind FIRST: kind, key, state, and
     * the output or event. These say which key has the id of a machine that timed out.
     */
    static List<String> reports(String file, List<Event> events) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        List<MachineReport> all = new ArrayList<>();
        try (CloseableIterator<MachineReport> reports =
                FollowJob.follow(
                                FollowJob.machine(file),
                                FollowJob.withTimestamps(env.fromData(events)))
                        .executeAndCollect()) {
            reports.forEachRemaining(all::add);
        }
        Map<Long, String> keys = new HashMap<>();
        List<String> texts = new ArrayList<>();
        for (MachineReport report : all) {
            if (report.kind().equals("FIRST")) {
                keys.put(report.id(), report.key());
            }
        }
        for (MachineReport report : all) {
            if (!report.kind().equals("FIRST")) {
                String what = report.output() != null ? report.output() : report.event();
                String key = report.key() != null ? report.key() : keys.get(report.id());
                texts.add(
                        report.kind()
                                + " "
                                + key
                                + " "
                                + report.state()
                                + (what == null ? "" : " " + what));
            }
        }
        return texts.stream().sorted().toList();
    }
}
