/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

/**
 * The paper's mapping from a greedy code word back to its number: a polynomial of degree 2, fitted
 * to the sorted code words by least squares, gives a guess, and secant steps lead from the guess to
 * the word.
 */
final class RegressionLookup {

    private final int[] words;

    /** index ~ a + b w + c w^2 of the square root w of the word, which makes the curve flat. */
    private final double[] coefficients;

    private long steps;

    RegressionLookup(int[] sortedWords) {
        words = sortedWords;
        coefficients = fit(sortedWords);
    }

    private static double[] fit(int[] words) {
        double[][] sums = new double[3][4];
        double scale = Math.sqrt(words[words.length - 1]);
        for (int i = 0; i < words.length; i++) {
            double w = Math.sqrt(words[i]) / scale;
            double[] powers = {1, w, w * w};
            for (int row = 0; row < 3; row++) {
                for (int column = 0; column < 3; column++) {
                    sums[row][column] += powers[row] * powers[column];
                }
                sums[row][3] += powers[row] * i;
            }
        }
        double[] solution = solve(sums);
        return new double[] {solution[0], solution[1] / scale, solution[2] / (scale * scale)};
    }

    /** Gauss-Jordan elimination of three equations. */
    private static double[] solve(double[][] rows) {
        for (int pivot = 0; pivot < 3; pivot++) {
            for (int row = 0; row < 3; row++) {
                double factor = row == pivot ? 0 : rows[row][pivot] / rows[pivot][pivot];
                for (int column = pivot; factor != 0 && column < 4; column++) {
                    rows[row][column] -= factor * rows[pivot][column];
                }
            }
        }
        return new double[] {
            rows[0][3] / rows[0][0], rows[1][3] / rows[1][1], rows[2][3] / rows[2][2]
        };
    }

    /** The number of {@code word}, or -1 if it is not a code word. */
    int indexOf(int word) {
        double root = Math.sqrt(word);
        double guess = coefficients[0] + root * (coefficients[1] + root * coefficients[2]);
        int low = 0;
        int high = words.length - 1;
        int at = Math.max(low, Math.min(high, (int) guess));
        while (words[at] != word) {
            steps++;
            if (words[at] < word) {
                low = at + 1;
            } else {
                high = at - 1;
            }
            if (low > high || words[low] > word || words[high] < word) {
                return -1;
            }
            // The secant through the ends of the remaining range.
            double rise = (double) words[high] - words[low];
            at = rise == 0 ? low : low + (int) ((word - words[low]) / rise * (high - low));
        }
        return at;
    }

    /** Secant steps of all calls so far. */
    long steps() {
        return steps;
    }
}
