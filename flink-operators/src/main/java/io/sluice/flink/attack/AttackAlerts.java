/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Uid;
import io.sluice.flink.flow.Attempt;
import java.time.Duration;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Reports services that are flooded with SYN, and hosts that scan.
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
 * depend on the attempts and their times alone</em>. An attack is seen when the window in which
 * there is enough of it is over by the watermark; one that is no longer than half a window is never
 * cut in two. With packets of one direction only, those of the clients are enough, as they complete
 * handshakes; of servers' packets alone no attempt is seen.
 */
public final class AttackAlerts {

    private @Nullable String uid;
    private Duration floodWindow = AttackOptions.FLOOD_WINDOW.defaultValue();
    private int floodAttempts = AttackOptions.FLOOD_ATTEMPTS.defaultValue();
    private Duration scanWindow = AttackOptions.SCAN_WINDOW.defaultValue();
    private int scanTargets = AttackOptions.SCAN_TARGETS.defaultValue();
    private double completedShare = AttackOptions.COMPLETED_SHARE.defaultValue();
    private Duration quiet = AttackOptions.QUIET.defaultValue();
    private int parties = AttackOptions.PARTIES.defaultValue();

    private AttackAlerts() {}

    /** Starts a builder. */
    public static AttackAlerts create() {
        return new AttackAlerts();
    }

    /**
     * Required. Begins the uids of both operators, which keep their state across changes of the
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
     * Services, and hosts that ask, which are told apart in half a window; beyond that those are
     * forgotten, and counted, that were heard of longest ago. Default 200,000; each takes 200 bytes
     * of heap, a host that asks more than 32 services 600. There are up to four times as many at a
     * time.
     */
    public AttackAlerts parties(int parties) {
        this.parties = parties;
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
                            kind, floodWindow, floodAttempts, completedShare, quiet, parties);
            case SCAN ->
                    new AttackSettings(
                            kind, scanWindow, scanTargets, completedShare, quiet, parties);
        };
    }

    /**
     * Adds the operators to what {@link io.sluice.flink.flow.FlowStateMachine#attempts} gives.
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
        return attempts.keyBy(attempt -> AttackOperator.keyOf(kind, attempt), Types.LONG)
                .transform(
                        "AttackAlerts",
                        AttackTypes.ATTACK_ALERT,
                        new AttackOperator(settings(kind)))
                .uid(own)
                .name("AttackAlerts: " + own);
    }
}
