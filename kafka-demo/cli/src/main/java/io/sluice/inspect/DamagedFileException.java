/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;

/** Reading a checkpoint has found damage. */
final class DamagedFileException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    DamagedFileException(Problem problem) {
        super(problem.toString());
        this.problem = problem;
    }

    DamagedFileException(Problem problem, IOException cause) {
        this(problem);
        initCause(cause);
    }

    /** Returns what is damaged, and where. */
    Problem problem() {
        return problem;
    }
}
