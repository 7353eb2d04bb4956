/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.keyvalue.code.CodeKind;

/**
 * Probabilities that a key-value Bloom filter gives no clear answer, in the limit of many keys.
 * Pure functions; exact for up to {@value ValueGroups#MAX_GROUPS} different probabilities of
 * values.
 *
 * <p>The load of a cell that a held key is in is not that of a random cell, as the paper (section
 * on false negatives) assumes: the key itself is in it, so the <i>others</i> are Poisson with mean
 * lambda = k n / m. This one key makes the paper's failure probability of a cell several times too
 * low, and its k-th power too low by orders of magnitude.
 *
 * <p>A query fails if all k cells are undecodable, or if there is a value other than the key's that
 * every decodable cell holds with the key's tag. Cells are independent, so the probability of "each
 * cell is undecodable or holds w" is a k-th power, and inclusion and exclusion over sets of such w
 * gives that of the union. A cell holds at most two others (three symbols if the asked key is
 * absent), so sums over pairs (triples) of values are exact.
 */
public final class KeyValueModel {

    private final CodeKind code;
    private final int probes;
    private final ValueGroups values;

    /** P(Poisson = 0), ... P(Poisson = 3). */
    private final double[] poisson = new double[4];

    private KeyValueModel(CodeKind code, int probes, double cellsPerKey, ValueGroups values) {
        this.code = code;
        this.probes = probes;
        this.values = values;
        double load = probes / cellsPerKey;
        poisson[0] = Math.exp(-load);
        for (int i = 1; i < poisson.length; i++) {
            poisson[i] = poisson[i - 1] * load / i;
        }
    }

    /**
     * The model of a filter at capacity.
     *
     * @param probes cells per key, at least 1
     * @param cellsPerKey cells of the filter divided by keys, positive
     * @param tagBits bits of the key in its symbol
     * @param probabilities how often each value occurs; they are normalised
     */
    public static KeyValueModel of(
            CodeKind code, int probes, double cellsPerKey, int tagBits, double... probabilities) {
        if (probes < 1 || !(cellsPerKey > 0)) {
            throw new IllegalArgumentException(
                    "probes must be at least 1 and cellsPerKey positive, got "
                            + probes
                            + " and "
                            + cellsPerKey);
        }
        return of(code, probes, cellsPerKey, ValueGroups.of(probabilities).withTag(tagBits));
    }

    static KeyValueModel of(CodeKind code, int probes, double cellsPerKey, ValueGroups values) {
        return new KeyValueModel(code, probes, cellsPerKey, values);
    }

    /** {@code values} equally likely values. */
    public static double[] uniform(int values) {
        double[] probabilities = new double[values];
        java.util.Arrays.fill(probabilities, 1.0 / values);
        return probabilities;
    }

    /** Probability that the value of a held key is ambiguous, over all keys. */
    public double ambiguous() {
        double sum = 0;
        for (int own = 0; own < values.groups(); own++) {
            sum += values.weight(own) * ambiguous(own);
        }
        return sum;
    }

    private double ambiguous(int own) {
        double undecodable = 1 - ownDecodable();
        double base = Math.pow(undecodable, probes);
        double union = base;
        for (int w = 0; w < values.groups(); w++) {
            double others = values.size(w) - (w == own ? 1 : 0);
            if (others > 0) {
                double cell = undecodable + ownWith(values.symbol(w));
                union += others * (Math.pow(cell, probes) - base);
            }
        }
        if (code.decodable() == 3) {
            union -= ownPairs(own, undecodable, base);
        }
        return Math.min(1, union);
    }

    /**
     * Sum over the pairs of other values of the probability that both are in every decodable cell.
     */
    private double ownPairs(int own, double undecodable, double base) {
        double sum = 0;
        for (int w = 0; w < values.groups(); w++) {
            double first = values.size(w) - (w == own ? 1 : 0);
            for (int x = w; x < values.groups(); x++) {
                double second = values.size(x) - (x == own ? 1 : 0);
                double pairs = x == w ? first * (first - 1) / 2 : first * second;
                if (pairs > 0) {
                    double cell =
                            undecodable + poisson[2] * 2 * values.symbol(w) * values.symbol(x);
                    sum += pairs * (Math.pow(cell, probes) - base);
                }
            }
        }
        return sum;
    }

    /** Probability that a cell of a held key can be decoded. */
    private double ownDecodable() {
        return poisson[0] + poisson[1] + (code.decodable() == 3 ? poisson[2] : 0);
    }

    /** Probability that it can be decoded and also holds the symbol of probability {@code w}. */
    private double ownWith(double w) {
        if (code.decodable() == 2) {
            return poisson[1] * w;
        }
        return poisson[1] * w + poisson[2] * w * (2 - w);
    }

    /** Probability that a key that is not held gets a value, or is ambiguous. */
    public double falsePositives() {
        double undecodable = 1 - poisson[0] - anyDecodable();
        // At least one value is allowed, or no cell is decodable.
        return Math.min(1, Math.pow(undecodable, probes) + candidates(1, -1, 1));
    }

    /** Probability that a key that is not held gets a value. */
    public double falseValues() {
        // Exactly one value is allowed.
        return Math.max(0, candidates(1, -2, 3));
    }

    /**
     * Sum over sets of one, two and three values of the probability that some cells are decodable
     * and all that are hold the whole set with the key's tag, each size with a factor.
     */
    private double candidates(int ofOne, int ofTwo, int ofThree) {
        double undecodable = 1 - poisson[0] - anyDecodable();
        double base = Math.pow(undecodable, probes);
        double sum = 0;
        for (int w = 0; w < values.groups(); w++) {
            double one = undecodable + anyWith(values.symbol(w));
            sum += ofOne * values.size(w) * (Math.pow(one, probes) - base);
            for (int x = w; x < values.groups(); x++) {
                double pairs = values.pairs(w, x);
                if (pairs > 0) {
                    double two = undecodable + anyWith(values.symbol(w), values.symbol(x));
                    sum += ofTwo * pairs * (Math.pow(two, probes) - base);
                }
                for (int y = x; code.decodable() == 3 && y < values.groups(); y++) {
                    double triples = values.triples(w, x, y);
                    if (triples > 0) {
                        double all = values.symbol(w) * values.symbol(x) * values.symbol(y) * 6;
                        double three = undecodable + poisson[3] * all;
                        sum += ofThree * triples * (Math.pow(three, probes) - base);
                    }
                }
            }
        }
        return sum;
    }

    /** Probability that a random cell is not empty and can be decoded. */
    private double anyDecodable() {
        double three = code.decodable() == 3 ? poisson[3] : 0;
        return poisson[1] + poisson[2] + three;
    }

    private double anyWith(double w) {
        double three = code.decodable() == 3 ? poisson[3] : 0;
        double not = 1 - w;
        return poisson[1] * w + poisson[2] * w * (2 - w) + three * (1 - not * not * not);
    }

    private double anyWith(double w, double x) {
        double three = code.decodable() == 3 ? poisson[3] : 0;
        // Both among three: ordered, either with a third that is neither, or one of them twice.
        double both = 6 * w * x * (1 - w - x) + 3 * w * x * (w + x);
        return poisson[2] * 2 * w * x + three * both;
    }
}
