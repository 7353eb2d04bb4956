/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * What became of one class of Flink's tests in one run.
 *
 * @param commit of the checkout that ran it
 * @param skipped by the test itself: disabled, or an assumption that does not hold
 * @param excluded left out by {@link Excluded}
 */
record ClassResult(
        @JsonProperty("run") String run,
        @JsonProperty("class") String className,
        @JsonProperty("commit") String commit,
        @JsonProperty("passed") int passed,
        @JsonProperty("skipped") int skipped,
        @JsonProperty("failed") List<Failure> failed,
        @JsonProperty("excluded") List<LeftOut> excluded,
        @JsonProperty("counts") Counts counts,
        @JsonProperty("seconds") long seconds) {

    /** A test that failed, and why. */
    record Failure(@JsonProperty("test") String test, @JsonProperty("message") String message) {}

    /** A test that was not run, and why. */
    record LeftOut(@JsonProperty("test") String test, @JsonProperty("reason") String reason) {}
}
