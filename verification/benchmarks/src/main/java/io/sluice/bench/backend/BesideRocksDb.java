/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.report.BarsImage;
import io.sluice.bench.report.BarsImage.Bar;
import io.sluice.bench.report.BarsImage.Panel;
import io.sluice.bench.report.Figure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The picture of the README: "seen" flags of a DataStream job, beside RocksDB. */
final class BesideRocksDb {
    static final String FILE = "beside-rocksdb.svg";

    private static final String OURS = "Sluice";
    private static final String PEER = "RocksDB";

    private BesideRocksDb() {}

    /** The picture, or none if not all of its figures were measured. */
    static Optional<String> picture(List<Figure> figures) {
        Optional<Double> rate = value(figures, "backend.datastream.perSecond");
        Optional<Double> ratio = value(figures, "backend.datastream.ratioToRocksdb");
        Optional<Double> bytes = value(figures, "backend.bytesPerKey");
        Optional<Double> peerBytes = value(figures, "backend.bytesPerKey.rocksdb");
        if (rate.isEmpty() || ratio.isEmpty() || bytes.isEmpty() || peerBytes.isEmpty()) {
            return Optional.empty();
        }
        double peerRate = rate.get() / ratio.get();
        List<Panel> panels =
                List.of(
                        new Panel(
                                "records a second",
                                List.of(
                                        new Bar(OURS, rate.get(), millions(rate.get()), true),
                                        new Bar(PEER, peerRate, millions(peerRate), false))),
                        new Panel(
                                "bytes an id, in a checkpoint",
                                List.of(
                                        new Bar(OURS, bytes.get(), decimal(bytes.get()), true),
                                        new Bar(
                                                PEER,
                                                peerBytes.get(),
                                                decimal(peerBytes.get()),
                                                false))));
        return Optional.of(
                BarsImage.draw(
                        String.format(
                                Locale.ROOT,
                                "%s: %s records a second, %s bytes an id. %s: %s and %s.",
                                OURS,
                                millions(rate.get()),
                                decimal(bytes.get()),
                                PEER,
                                millions(peerRate),
                                decimal(peerBytes.get())),
                        panels));
    }

    private static Optional<Double> value(List<Figure> figures, String name) {
        return figures.stream()
                .filter(figure -> figure.name().equals(name))
                .map(Figure::value)
                .findFirst();
    }

    private static String millions(double value) {
        return String.format(Locale.ROOT, value < 1e6 ? "%.2f M" : "%.1f M", value / 1e6);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
