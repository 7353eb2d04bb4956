/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.FlagsAgreement;
import io.sluice.inspect.OperatorAgreement;
import io.sluice.inspect.PairsAgreement;
import io.sluice.inspect.RemoteReconciler;
import io.sluice.inspect.SeenAgreement;
import io.sluice.inspect.StateAgreement;
import io.sluice.inspect.StateReconciler;
import io.sluice.inspect.StateUnion;
import io.sluice.inspect.StateValuesAgreement;
import io.sluice.inspect.StoredCheckpoint;
import io.sluice.inspect.UnionReport;
import io.sluice.inspect.ValuesAgreement;
import io.sluice.plan.HumanReadable;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice reconcile}. */
@Command(
        name = "reconcile",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Says, key group by key group, whether checkpoints or savepoints of the same job in"
                    + " several clusters hold the same totals, machines, seen sets and flags of the"
                    + " cascade state backend: each pair of them. Exit code 1 if one differs.")
final class StateReconcileCommand implements Callable<Integer> {
    private static final int MAX_LISTED = 1_000_000;

    @Parameters(
            arity = "1..*",
            paramLabel = "CHECKPOINT",
            description =
                    "Two or more, each as for 'sluice inspect'; one with --serve or --connect.")
    private List<String> checkpoints;

    @Option(
            names = "--list",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "List at most N counters or machines of an operator that differ (default:"
                            + " ${DEFAULT-VALUE}).")
    private int maxListed;

    @Option(
            names = "--state",
            paramLabel = "NAME",
            description =
                    "Also compare the keyed state of this name, of any kind and of any operator, by"
                        + " what its serializers write. Needs canonical savepoints, or the heap"
                        + " backend, and --jar for types of the job. May be given several times.")
    private List<String> states = new ArrayList<>();

    @Option(
            names = "--union",
            paramLabel = "OUT",
            description =
                    "Compare nothing, and write a savepoint to the new directory OUT: the first of"
                        + " two checkpoints, with seen sets and flags that hold what either has"
                        + " seen. A job that goes on from it passes no id again that either had"
                        + " seen. Offsets, totals and all other state are the first's. Exit code 1,"
                        + " and nothing is written, if an operator has no union.")
    @Nullable
    private String union;

    @Option(
            names = "--serve",
            paramLabel = "[HOST:]PORT",
            description =
                    "Serve one checkpoint to 'sluice reconcile CHECKPOINT --connect' on another"
                        + " machine, once. Digests are sent, and what differs. Without HOST it can"
                        + " be reached from this machine alone. Nothing is encrypted or"
                        + " authenticated: for a network that is trusted, or a tunnel.")
    @Nullable
    private String serve;

    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description =
                    "Compare one checkpoint, A, with the one that another machine serves, B. The"
                            + " report says how many bytes were sent.")
    @Nullable
    private String connect;

    @Mixin private CheckpointArguments arguments;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (maxListed < 0 || maxListed > MAX_LISTED) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--list must be from 0 to " + MAX_LISTED + ", but is " + maxListed);
        }
        if (union != null && checkpoints.size() != 2) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--union is of two checkpoints, but there are "
                            + checkpoints.size()
                            + ": unite the result with the next one");
        }
        requireCount();
        InetSocketAddress address =
                serve != null
                        ? address("--serve", serve)
                        : connect != null ? address("--connect", connect) : null;
        List<StoredCheckpoint> loaded = new ArrayList<>();
        for (String each : checkpoints) {
            loaded.add(arguments.load(each, spec.commandLine().getErr()));
        }
        if (union != null) {
            return unite(loaded);
        }
        if (serve != null) {
            return serve(loaded.get(0), address);
        }
        if (connect != null) {
            StateAgreement agreement =
                    RemoteReconciler.compare(loaded.get(0), address, maxListed, states);
            json.print(spec.commandLine().getOut(), agreement, StateReconcileCommand::print);
            return agreement.agree() ? Failures.OK : Failures.VERDICT_FAILED;
        }
        List<StateAgreement> pairs = new ArrayList<>();
        for (int a = 0; a < loaded.size(); a++) {
            for (int b = a + 1; b < loaded.size(); b++) {
                pairs.add(StateReconciler.compare(loaded.get(a), loaded.get(b), maxListed, states));
            }
        }
        PairsAgreement all = PairsAgreement.of(pairs);
        PrintWriter out = spec.commandLine().getOut();
        if (pairs.size() == 1) {
            json.print(out, pairs.get(0), StateReconcileCommand::print);
        } else {
            json.print(out, all, StateReconcileCommand::print);
        }
        return all.agree() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private void requireCount() {
        boolean isRemote = serve != null || connect != null;
        if (serve != null && connect != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--serve and --connect exclude each other: one machine serves, the other"
                            + " connects");
        }
        if (isRemote && union != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--union needs both checkpoints on one machine: copy one of them");
        }
        if (!states.isEmpty() && (serve != null || union != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--state has no effect with "
                            + (serve != null
                                    ? "--serve: give it to the machine with --connect, which asks"
                                    : "--union, which compares nothing: leave it out"));
        }
        if (isRemote != (checkpoints.size() == 1)) {
            throw new ParameterException(
                    spec.commandLine(),
                    isRemote
                            ? "one checkpoint is compared with that of the other machine, but there"
                                    + " are "
                                    + checkpoints.size()
                            : "two or more checkpoints are compared, but there is one: add another,"
                                    + " or --serve or --connect");
        }
    }

    private InetSocketAddress address(String option, String given) {
        int colon = given.lastIndexOf(':');
        String host = colon < 0 ? "" : given.substring(0, colon);
        try {
            int port = Integer.parseInt(given.substring(colon + 1));
            return host.isEmpty()
                    ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
                    : new InetSocketAddress(host, port);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " must be HOST:PORT, with a port up to 65535, but is " + given,
                    e);
        }
    }

    private int serve(StoredCheckpoint checkpoint, InetSocketAddress bind) throws IOException {
        if (bind.isUnresolved()) {
            throw new IOException("--serve: there is no host " + bind.getHostString());
        }
        PrintWriter progress = spec.commandLine().getErr();
        RemoteReconciler.Served served =
                RemoteReconciler.serve(
                        checkpoint,
                        bind.getAddress(),
                        bind.getPort(),
                        at -> {
                            progress.printf(
                                    "sluice: waiting for 'sluice reconcile CHECKPOINT --connect"
                                            + " %s:%d'%n",
                                    at.getHostString(), at.getPort());
                            progress.flush();
                        });
        json.print(spec.commandLine().getOut(), served, StateReconcileCommand::print);
        return served.agree() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private static void print(RemoteReconciler.Served served, PrintWriter out) {
        out.printf("%s compared%n", served.peer());
        print(served.exchange(), "the state here", out);
        out.printf("%n%s%n", served.agree() ? "both agree" : "both DIFFER");
    }

    private static void print(StateAgreement.Exchange exchange, String state, PrintWriter out) {
        out.printf(
                "exchanged: %s sent, %s received; %s has %s%n",
                HumanReadable.bytes((double) exchange.sentBytes()),
                HumanReadable.bytes((double) exchange.receivedBytes()),
                state,
                HumanReadable.bytes((double) exchange.stateBytes()));
    }

    private int unite(List<StoredCheckpoint> loaded) throws IOException {
        UnionReport report =
                StateUnion.write(loaded.get(0), loaded.get(1), CheckpointLocation.path(union));
        json.print(spec.commandLine().getOut(), report, StateReconcileCommand::print);
        return report.union() == null ? Failures.VERDICT_FAILED : Failures.OK;
    }

    private static void print(UnionReport report, PrintWriter out) {
        out.printf("A %s%nB %s%n%n", report.a(), report.b());
        for (UnionReport.SeenSet seen : report.seen()) {
            out.printf(
                    Locale.ROOT,
                    "%s: %s, %,d ids of A and %,d of B in %d key groups, %s instead of %s%n",
                    seen.operator(),
                    seen.state() == null
                            ? "seen set"
                            : "flags '" + VisibleText.of(seen.state()) + "'",
                    seen.idsA(),
                    seen.idsB(),
                    seen.keyGroups(),
                    HumanReadable.bytes((double) seen.bytes()),
                    HumanReadable.bytes((double) seen.bytesA()));
        }
        report.refused().forEach(operator -> out.printf("REFUSED %s%n", operator));
        if (!report.kept().isEmpty()) {
            out.printf("as in A: %s%n", String.join(", ", report.kept()));
        }
        if (!report.onlyB().isEmpty()) {
            out.printf("only in B, left out: %s%n", String.join(", ", report.onlyB()));
        }
        report.warnings().forEach(warning -> out.printf("WARNING %s%n", warning));
        out.printf(
                "%n%s%n",
                report.union() == null
                        ? "nothing was written"
                        : report.union() + ", " + HumanReadable.bytes((double) report.bytes()));
    }

    private static void print(PairsAgreement all, PrintWriter out) {
        for (StateAgreement pair : all.pairs()) {
            print(pair, out);
            out.println();
        }
        out.printf(
                "%d of %d pairs agree%n",
                all.pairs().stream().filter(StateAgreement::agree).count(), all.pairs().size());
    }

    private static void print(StateAgreement agreement, PrintWriter out) {
        out.printf("A %s%nB %s%n", agreement.a(), agreement.b());
        for (OperatorAgreement operator : agreement.operators()) {
            out.printf("%n%s%n", operator.operator());
            if (operator.refused() != null) {
                out.printf("  NOT COMPARED %s%n", operator.refused());
            }
            operator.otherOptions().forEach(option -> out.printf("  %s%n", option));
            if (operator.totals() != null) {
                print("totals", "counters", operator.totals(), out);
            }
            if (operator.machines() != null) {
                print("states", "machines", operator.machines(), out);
            }
            if (operator.seen() != null) {
                print(operator.seen(), out);
            }
            operator.flags().forEach(flags -> print(flags, out));
            operator.states().forEach(state -> print(state, out));
        }
        if (!agreement.notCompared().isEmpty()) {
            out.printf(
                    "%nother operators, not compared: %s%n",
                    String.join(", ", agreement.notCompared()));
        }
        agreement.problems().forEach(problem -> out.printf("PROBLEM %s%n", problem));
        if (agreement.exchange() != null) {
            out.println();
            print(agreement.exchange(), "the state of B", out);
        }
        out.printf(
                "%n%s%n",
                agreement.agree() ? "A and B agree" : "A and B DIFFER, or were compared in part");
    }

    private static void print(
            String title, String keys, ValuesAgreement<?> values, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "  %s: %,d %s equal, %,d differ, %,d only in A, %,d only in B%n",
                title,
                values.equal(),
                keys,
                values.different(),
                values.onlyA(),
                values.onlyB());
        for (ValuesAgreement.KeyGroup group : values.keyGroups()) {
            out.printf(
                    Locale.ROOT,
                    "    key group %d: %,d equal, %,d differ, %,d only in A, %,d only in B%n",
                    group.keyGroup(),
                    group.equal(),
                    group.different(),
                    group.onlyA(),
                    group.onlyB());
        }
        for (ValuesAgreement.Difference<?> each : values.differing()) {
            out.printf(
                    "      %s: %s in A, %s in B%n",
                    VisibleText.of(each.key()), orNone(each.a()), orNone(each.b()));
        }
        long differing = values.different() + values.onlyA() + values.onlyB();
        if (differing > values.differing().size()) {
            out.printf(
                    Locale.ROOT,
                    "      and %,d more, see --list%n",
                    differing - values.differing().size());
        }
    }

    private static String orNone(@Nullable Object value) {
        return value == null ? "none" : VisibleText.of(value.toString());
    }

    private static void print(SeenAgreement seen, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "  seen set: %,d ids in A, %,d in B; %,d compared, %,d only in A, %,d only in B%n",
                seen.idsA(),
                seen.idsB(),
                seen.compared(),
                seen.onlyA(),
                seen.onlyB());
        if (seen.laterA() + seen.laterB() > 0) {
            out.printf(
                    Locale.ROOT,
                    "    later than the clock of the other: %,d only in A, %,d only in B%n",
                    seen.laterA(),
                    seen.laterB());
        }
        for (SeenAgreement.KeyGroup group : seen.keyGroups()) {
            out.printf(
                    Locale.ROOT,
                    "    key group %d: one in %,d compared, %,d only in A, %,d only in B, %s to"
                            + " %s%n",
                    group.keyGroup(),
                    group.oneIn(),
                    group.onlyA() + group.laterA(),
                    group.onlyB() + group.laterB(),
                    FieldText.of("oldestMillis", group.oldestMillis()),
                    FieldText.of("newestMillis", group.newestMillis()));
        }
        if (seen.estimatedOnlyA() + seen.estimatedOnlyB() > 0) {
            out.printf(
                    Locale.ROOT,
                    "    of all ids, about %,d only in A, %,d only in B%n",
                    seen.estimatedOnlyA(),
                    seen.estimatedOnlyB());
        }
        if (!seen.withoutSample().isEmpty()) {
            out.printf(
                    "    NOT COMPARED, without a sample that knows their ids: key groups %s%n",
                    seen.withoutSample());
        }
    }

    private static void print(StateValuesAgreement state, PrintWriter out) {
        String title = "state '" + VisibleText.of(state.state()) + "'";
        if (state.refused() != null) {
            out.printf("  %s: NOT COMPARED %s%n", title, state.refused());
        } else {
            print(title, "values", state.values(), out);
        }
    }

    private static void print(FlagsAgreement flags, PrintWriter out) {
        String state = VisibleText.of(flags.state());
        if (flags.refused() != null) {
            out.printf("  flags '%s': NOT COMPARED %s%n", state, flags.refused());
            return;
        }
        out.printf(
                Locale.ROOT,
                "  flags '%s': %,d keys in both, %,d only in A, %,d only in B, by fingerprints of"
                        + " %d bits%n",
                state,
                flags.both(),
                flags.onlyA(),
                flags.onlyB(),
                flags.hashBits());
        flags.otherOptions().forEach(option -> out.printf("    %s%n", option));
        if (flags.expiredA() + flags.expiredB() > 0) {
            out.printf(
                    Locale.ROOT,
                    "    expired in the other: %,d only in A, %,d only in B%n",
                    flags.expiredA(),
                    flags.expiredB());
        }
        for (FlagsAgreement.KeyGroup group : flags.keyGroups()) {
            out.printf(
                    Locale.ROOT,
                    "    key group %d: %,d in both, %,d only in A, %,d only in B%n",
                    group.keyGroup(),
                    group.both(),
                    group.onlyA(),
                    group.onlyB());
        }
        for (FlagsAgreement.Bucket bucket : flags.buckets()) {
            out.printf(
                    Locale.ROOT,
                    "    marked until %s: %,d only in A, %,d only in B%n",
                    FieldText.of("endMillis", bucket.endMillis()),
                    bucket.onlyA(),
                    bucket.onlyB());
        }
        if (!flags.missing().isEmpty()) {
            out.printf("    NOT COMPARED, as only one has them: key groups %s%n", flags.missing());
        }
    }
}
