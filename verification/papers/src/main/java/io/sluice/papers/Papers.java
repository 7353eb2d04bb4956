/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers;

import io.sluice.papers.Items.Paper;
import io.sluice.papers.ccf.AccuracyFigure;
import io.sluice.papers.ccf.CollidedFigure;
import io.sluice.papers.ccf.OccupancyTable;
import io.sluice.papers.ccf.TimesFigure;
import io.sluice.papers.fbf.BitsFigure;
import io.sluice.papers.fbf.ControlFigure;
import io.sluice.papers.fbf.DeniedFigure;
import io.sluice.papers.fbf.ElementsFigure;
import io.sluice.papers.fbf.RateFigure;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import io.sluice.papers.kbf.BatchFigure;
import io.sluice.papers.kbf.EncodingsFigure;
import io.sluice.papers.kbf.FlowFigure;
import io.sluice.papers.kbf.LoadFigure;
import io.sluice.papers.kbf.SecondaryFigure;
import io.sluice.papers.kbf.StaticFigure;
import io.sluice.papers.kbf.TriplesFigure;
import io.sluice.papers.qf.ClusterFigure;
import io.sluice.papers.qf.ErrorFigure;
import io.sluice.papers.qf.LevelErrorFigure;
import io.sluice.papers.qf.LookupFigure;
import io.sluice.papers.qf.TombstoneFigure;
import io.sluice.papers.qf.WritesFigure;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Computes the figures of the four papers. Exit codes: 0 all checks hold, 1 one does not, 2 usage.
 */
@Command(
        name = "sluice papers",
        mixinStandardHelpOptions = true,
        description = {
            "Computes every figure of the four papers, compares them with an independent"
                    + " implementation if its tables are there, and writes papers.md, papers.html"
                    + " and tables."
        })
public final class Papers implements Callable<Integer> {

    static final List<PaperFigure> FIGURES =
            List.of(
                    new DeniedFigure(9),
                    new ElementsFigure(37, false),
                    new ElementsFigure(38, true),
                    new BitsFigure(39),
                    new RateFigure(40, true),
                    new RateFigure(41, false),
                    new ControlFigure(42),
                    new ErrorFigure(54),
                    new ClusterFigure(56),
                    new LevelErrorFigure(67),
                    new WritesFigure(68),
                    new LookupFigure(72),
                    new TombstoneFigure(73),
                    new OccupancyTable(94),
                    new AccuracyFigure(95, true),
                    new TimesFigure(96),
                    new CollidedFigure(97),
                    new AccuracyFigure(98, false),
                    new TriplesFigure(111),
                    new SecondaryFigure(116),
                    new EncodingsFigure(121, false),
                    new EncodingsFigure(122, true),
                    new LoadFigure(123, false),
                    new LoadFigure(124, true),
                    new StaticFigure(125),
                    new BatchFigure(127, true),
                    new BatchFigure(128, false),
                    new FlowFigure(135));

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PAPER",
            description = "Only these papers: fbf, qf, ccf, kbf.")
    private List<String> only = List.of("fbf", "qf", "ccf", "kbf");

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = {
                "Where everything goes. Without it, the page of all papers is docs/papers.md of"
                        + " the checkout, the rest below target."
            })
    private Path out;

    @Option(names = "--quick", description = "Small sizes, for a first look and for tests.")
    private boolean quick;

    @Option(
            names = "--counted",
            description = "Leaves out what is timed, for a machine that is not idle.")
    private boolean counted;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds, equal numbers.")
    private long seed;

    @Option(
            names = "--reference",
            paramLabel = "DIR",
            description = "Tables to compare with (default: ../shared/data/reference).")
    private Path reference;

    /** Runs the command. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Papers()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path home = Path.of(System.getProperty("sluice.home", "."));
        Path tables = reference != null ? reference : home.resolve("../shared/data/reference");
        Run run = new Run(quick, !counted, seed, tables);
        PrintWriter print = spec.commandLine().getOut();
        if (!run.hasReference()) {
            print.println("no tables in " + tables + ": nothing is compared with them");
        }
        List<Paper> papers = Items.read();
        if (!papers.stream().map(Paper::id).toList().containsAll(only)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--only takes fbf, qf, ccf and kbf, got " + only);
        }
        Path folder = out != null ? out : home.resolve("verification/papers/target/papers");
        Files.createDirectories(folder);
        Map<Integer, Page.Result> results = new TreeMap<>();
        for (PaperFigure figure : FIGURES) {
            Paper paper = Items.paperOf(papers, figure.item());
            if (only.contains(paper.id()) && !(counted && figure.isTimed())) {
                String label = paper.item(figure.item()).label();
                long start = System.nanoTime();
                Table table = figure.table(run);
                results.put(figure.item(), new Page.Result(figure, table));
                Path csv = folder.resolve(paper.id() + "-" + figure.item() + ".csv");
                Files.writeString(csv, table.csv());
                double seconds = (System.nanoTime() - start) / 1e9;
                print.printf("%s %d, %s: %.0f s%n", paper.id(), figure.item(), label, seconds);
                table.checks().stream()
                        .map(c -> (c.ok() ? "  ok " : "  FAILED ") + c.name() + ": " + c.detail())
                        .forEach(print::println);
                print.flush();
            }
        }
        Page page = new Page(papers, results, run, home);
        boolean all = out == null && only.size() == papers.size();
        Path document = all ? home.resolve("docs/papers.md") : folder.resolve("papers.md");
        Files.writeString(document, page.markdown());
        Files.writeString(folder.resolve("papers.html"), page.html());
        print.println("wrote " + folder + " and " + document);
        return page.isOk() ? 0 : 1;
    }
}
