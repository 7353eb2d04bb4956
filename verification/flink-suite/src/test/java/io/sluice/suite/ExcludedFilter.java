/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Leaves out of a run what {@link Excluded} says, for both engines. */
public final class ExcludedFilter implements PostDiscoveryFilter {

    private final SuiteRun run;
    private final Excluded excluded;

    public ExcludedFilter() {
        this(SuiteRun.current(), Excluded.fromFile());
    }

    ExcludedFilter(SuiteRun run, Excluded excluded) {
        this.run = run;
        this.excluded = excluded;
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        TestSource source = test.getSource().orElse(null);
        if (!(source instanceof MethodSource method)) {
            return FilterResult.included("only methods are left out");
        }
        Optional<Excluded.Entry> entry =
                excluded.entryOf(run, classOf(test, method), method.getMethodName());
        entry.ifPresent(
                found -> Results.excluded(classOf(test, method), test.getDisplayName(), found));
        return entry.isPresent()
                ? FilterResult.excluded(entry.get().reason())
                : FilterResult.included("");
    }

    /** The class that was selected, not the superclass that has the method. */
    private static String classOf(TestDescriptor test, MethodSource method) {
        return Results.classOf(test).orElse(method.getClassName());
    }
}
