/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code sluice} and its subcommands. A subcommand parses and checks its options, calls
 * the class that does the work, and turns the result into an exit code: 0 the run did what it
 * promised, 1 its own verdict failed, 2 wrong usage, input or environment. Failures are one line on
 * standard error that ends with what to do; stack traces go to the log file.
 */
package io.sluice.cli;
