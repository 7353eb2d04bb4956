/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.flink.annotation.Internal;

/**
 * Which store takes the least memory for the machines that are expected and the error that is
 * wanted. Depends on the key groups, and on no parallelism. Pure functions.
 *
 * @param offers of all stores that can have the error, the least memory first
 */
@Internal
public record StoreChoice(StoreSettings settings, List<Offer> offers) {

    /**
     * What a store takes.
     *
     * @param bytes for the machines that are expected; the greatest long if it cannot hold them
     *     with the error
     * @param error share of events that it answers with a wrong state, or not at all
     */
    public record Offer(StoreKind kind, long bytes, double error) {}

    public StoreChoice {
        offers = List.copyOf(offers);
    }

    /** Returns the choice; the kind of store that the settings name does not matter. */
    public static StoreChoice of(StoreSettings settings, int keyGroups) {
        List<Offer> offers = new ArrayList<>();
        for (StoreKind kind : StoreKind.values()) {
            offers.add(offer(settings.with(kind), 1, keyGroups));
        }
        return new StoreChoice(
                settings,
                offers.stream()
                        .filter(each -> each.error <= settings.error())
                        .sorted(
                                Comparator.comparingLong(Offer::bytes)
                                        .thenComparingDouble(Offer::error))
                        .toList());
    }

    /** Returns what the store that the settings name takes in the subtask with most key groups. */
    static Offer offer(StoreSettings settings, int parallelism, int keyGroups) {
        long bytes = new StoreSizing(settings, parallelism, keyGroups).bytesNeeded();
        double error =
                switch (settings.kind()) {
                    case EXACT -> 0;
                    case FINGERPRINTS ->
                            settings.fingerprints(keyGroups)
                                    .error((double) settings.expected() / keyGroups);
                    case KBF -> settings.generations().error(settings.times().slices());
                };
        return new Offer(settings.kind(), bytes, error);
    }

    /** Returns the store with the least memory. The exact one can have any error. */
    public StoreKind kind() {
        return offers.get(0).kind;
    }

    /** Returns what was chosen, and why, as a line of a log. */
    public String reason(String operator) {
        String others =
                offers.stream()
                        .skip(1)
                        .map(each -> each.kind + " " + perMachine(each))
                        .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "Operator %s: the store %s takes the least memory for %,d %s and an error"
                        + " probability of %s, about %s bits for each (%s). The option store names"
                        + " another one; only EXACT can list what times out.",
                operator,
                kind(),
                settings.expected(),
                settings.nouns().machines(),
                settings.error(),
                perMachine(offers.get(0)),
                others.isEmpty() ? "no other store can have it" : others);
    }

    private String perMachine(Offer offer) {
        return String.format(Locale.ROOT, "%.0f", 8.0 * offer.bytes / settings.expected());
    }
}
