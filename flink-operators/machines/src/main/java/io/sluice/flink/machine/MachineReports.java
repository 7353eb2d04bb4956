/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.machine.MachineReport.Kind;
import java.util.EnumSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.util.OutputTag;

/** Emits what is reported of machines. Only what is emitted is allocated. Not thread-safe. */
final class MachineReports {

    private final MachineDefinition machine;
    private final Set<Kind> kinds;
    @Nullable private final OutputTag<MachineReport> illegal;
    private final Emission<MachineReport> emission;

    MachineReports(MachineSettings settings, Emission<MachineReport> emission) {
        this.machine = settings.machine();
        this.kinds = EnumSet.noneOf(Kind.class);
        kinds.addAll(settings.emitted());
        this.illegal = settings.illegal();
        this.emission = emission;
    }

    /** An event was followed, or was illegal. */
    void followed(MachineGroup group, long id, Object key, String name, int event, long millis) {
        if (group.isIllegal()) {
            illegal(group, id, key, name, millis);
            return;
        }
        if (group.begins()) {
            emit(Kind.FIRST, group, id, key, name, event, millis);
        }
        if (group.finishes() && kinds.contains(Kind.FINISHED)) {
            emit(Kind.FINISHED, group, id, key, name, event, millis);
        } else if (kinds.contains(Kind.OUTPUT) && machine.output(group.from(), event).isPresent()) {
            emit(Kind.OUTPUT, group, id, key, name, event, millis);
        } else {
            emit(Kind.TRANSITION, group, id, key, name, event, millis);
        }
    }

    private void illegal(MachineGroup group, long id, Object key, String name, long millis) {
        boolean isMain = kinds.contains(Kind.ILLEGAL);
        if (isMain || illegal != null) {
            String state = machine.states().get(group.from());
            String text = String.valueOf(key);
            MachineReport report =
                    new MachineReport(
                            Kind.ILLEGAL.name(), id, text, state, name, state, null, millis);
            if (isMain) {
                emission.collect(report, millis);
            }
            emission.collect(illegal, report, millis);
        }
    }

    /** The state before an event could not be told. */
    void ambiguous(long id, Object key, String name, long millis) {
        if (kinds.contains(Kind.AMBIGUOUS)) {
            String text = String.valueOf(key);
            emission.collect(
                    new MachineReport(
                            Kind.AMBIGUOUS.name(), id, text, null, name, null, null, millis),
                    millis);
        }
    }

    private void emit(
            Kind kind,
            MachineGroup group,
            long id,
            Object key,
            String name,
            int event,
            long millis) {
        if (kinds.contains(kind)) {
            emission.collect(
                    new MachineReport(
                            kind.name(),
                            id,
                            String.valueOf(key),
                            machine.states().get(group.from()),
                            name,
                            machine.states().get(group.to()),
                            machine.output(group.from(), event).orElse(null),
                            millis),
                    millis);
        }
    }

    void timedOut(long id, int state, long millis) {
        over(Kind.TIMED_OUT, id, state, millis);
    }

    void open(long id, int state, long millis) {
        over(Kind.OPEN, id, state, millis);
    }

    private void over(Kind kind, long id, int state, long millis) {
        if (kinds.contains(kind)) {
            String name = machine.states().get(state);
            emission.collect(
                    new MachineReport(kind.name(), id, null, null, null, name, null, millis),
                    millis);
        }
    }
}
