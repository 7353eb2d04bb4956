/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.annotation.Internal;

/**
 * State that is not Sluice's.
 *
 * @param state keyed state, operator state, ...
 * @param engine what wrote it, as far as its handle says
 */
@Internal
public record OtherReport(String state, String engine, long bytes, int files)
        implements StateReport {

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("engine", engine);
        facts.put("bytes", bytes);
        facts.put("files", files);
        return facts;
    }
}
