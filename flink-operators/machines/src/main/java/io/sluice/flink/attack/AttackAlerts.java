/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Uid;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.runtime.SortedInputFactory;
import java.time.Duration;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Reports services that are flooded with SYNs, and hosts that scan.
 *
 * <pre>{@code
 * SingleOutputStreamOperator<FinishedFlow> flows = FlowStateMachine.of(new MyTcpView())
 *         .uid("flows")
 *         .attempts(ATTEMPTS)
 *         .apply(packets);
 * DataStream<AttackAlert> attacks = AttackAlerts.create()
 *         .uid("attacks")
 *         .apply(flows.getSideOutput(ATTEMPTS));
 * }</pre>
 *
 * <p>The guarantee: <em>an attack is reported once when it begins and once when it is over,
 * whatever fails and however the job is rescaled; if nothing is late and memory suffices, alerts
 * depend on the attempts and their times alone</em>. An attack is seen when the watermark ends a
 * window that contains enough of it; an attack no longer than half a window is never cut in two.
 *
 * <p>A handshake is completed if packets of both sides show it. If the capture has only the
 * clients' packets, call {@link #oneSidedCapture}; from servers' packets alone no attempt is seen.
 *
 * <p>Attempts are combined by party and half window before they are sent to the subtask that
 * watches the party: the alerts are the same, and only few of a busy party's attempts cross the
 * network.
 *
 * <p>In BATCH execution the input is sorted by party: every attack is reported with its end, in the
 * memory of one party. A stream that ends reports every attack that has begun; the end of an attack
 * is reported if the watermark has shown it, as the stream may go on from a savepoint.
 */
@Experimental
public final class AttackAlerts {

    private @Nullable String uid;
    private Duration floodWindow = AttackOptions.FLOOD_WINDOW.defaultValue();
    private int floodAttempts = AttackOptions.FLOOD_ATTEMPTS.defaultValue();
    private Duration scanWindow = AttackOptions.SCAN_WINDOW.defaultValue();
    private int scanTargets = AttackOptions.SCAN_TARGETS.defaultValue();
    private double completedShare = AttackOptions.COMPLETED_SHARE.defaultValue();
    private Duration quiet = AttackOptions.QUIET.defaultValue();
    private int parties = AttackOptions.PARTIES.defaultValue();
    private boolean oneSided = AttackOptions.ONE_SIDED.defaultValue();

    private AttackAlerts() {}

    /** Starts a builder. */
    public static AttackAlerts create() {
        return new AttackAlerts();
    }

    /**
     * Required. Prefix of the uids of both operators, which keep their state across changes of the
     * job.
     */
    public AttackAlerts uid(String uid) {
        this.uid = uid;
        return this;
    }

    /** A flood: unanswered attempts on one service in a window. Default 500 in 10 s. */
    public AttackAlerts floods(int attempts, Duration window) {
        this.floodAttempts = attempts;
        this.floodWindow = requireNonNull(window, "window");
        return this;
    }

    /** A scan: services that one host asks in a window. Default 100 in a minute. */
    public AttackAlerts scans(int targets, Duration window) {
        this.scanTargets = targets;
        this.scanWindow = requireNonNull(window, "window");
        return this;
    }

    /** Share of completed handshakes beyond which there is no attack. Default 0.25. */
    public AttackAlerts completedShare(double share) {
        this.completedShare = share;
        return this;
    }

    /** How long there must be no attack before one is over. Default two minutes. */
    public AttackAlerts quiet(Duration quiet) {
        this.quiet = requireNonNull(quiet, "quiet");
        return this;
    }

    /**
     * How many services, and hosts that ask, are told apart in half a window. Default 200,000; each
     * takes some 250 bytes of heap, a host that asks more than 32 services 600. There is room for
     * four times that number, in all subtasks together, however many half windows are open; beyond
     * that the smallest are forgotten, and counted.
     */
    public AttackAlerts parties(int parties) {
        this.parties = parties;
        return this;
    }

    /**
     * The capture has only the clients' packets: a client that goes on after its SYN has completed
     * the handshake. A flooder can fake that with one more packet per attempt, so by default the
     * other side has to be seen too.
     */
    public AttackAlerts oneSidedCapture() {
        this.oneSided = true;
        return this;
    }

    /** Takes every option of {@link AttackOptions} that {@code configuration} sets. */
    public AttackAlerts configure(ReadableConfig configuration) {
        configuration.getOptional(AttackOptions.FLOOD_WINDOW).ifPresent(set -> floodWindow = set);
        configuration
                .getOptional(AttackOptions.FLOOD_ATTEMPTS)
                .ifPresent(set -> floodAttempts = set);
        configuration.getOptional(AttackOptions.SCAN_WINDOW).ifPresent(set -> scanWindow = set);
        configuration.getOptional(AttackOptions.SCAN_TARGETS).ifPresent(set -> scanTargets = set);
        configuration.getOptional(AttackOptions.COMPLETED_SHARE).ifPresent(this::completedShare);
        configuration.getOptional(AttackOptions.QUIET).ifPresent(this::quiet);
        configuration.getOptional(AttackOptions.PARTIES).ifPresent(this::parties);
        configuration.getOptional(AttackOptions.ONE_SIDED).ifPresent(set -> oneSided = set);
        return this;
    }

    /** Checks the options as {@link #apply} does. */
    public AttackAlerts check() {
        settings(AttackKind.SYN_FLOOD);
        settings(AttackKind.SCAN);
        return this;
    }

    private AttackSettings settings(AttackKind kind) {
        return switch (kind) {
            case SYN_FLOOD ->
                    new AttackSettings(
                            kind,
                            floodWindow,
                            floodAttempts,
                            completedShare,
                            quiet,
                            parties,
                            oneSided);
            case SCAN ->
                    new AttackSettings(
                            kind,
                            scanWindow,
                            scanTargets,
                            completedShare,
                            quiet,
                            parties,
                            oneSided);
        };
    }

    /**
     * Adds the operators to the stream from {@link io.sluice.flink.flow.FlowStateMachine#attempts}.
     *
     * @throws IllegalArgumentException if an option is missing or out of range
     */
    public DataStream<AttackAlert> apply(DataStream<Attempt> attempts) {
        String stableUid = Uid.require(uid);
        check();
        return watch(attempts, AttackKind.SYN_FLOOD, stableUid)
                .union(watch(attempts, AttackKind.SCAN, stableUid));
    }

    private DataStream<AttackAlert> watch(
            DataStream<Attempt> attempts, AttackKind kind, String stableUid) {
        String own = stableUid + "-" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
        AttackSettings settings = settings(kind);
        return attempts.transform(
                        "CombineAttempts", AttackTypes.TALLY, new CombineOperator(settings))
                .uid(own + "-combine")
                .name("CombineAttempts: " + own)
                .keyBy(Tally::key, Types.LONG)
                .transform(
                        "AttackAlerts",
                        AttackTypes.ATTACK_ALERT,
                        new SortedInputFactory<>(
                                new AttackOperator(settings), new SortedAttackOperator(settings)))
                .uid(own)
                .name("AttackAlerts: " + own);
    }
}
