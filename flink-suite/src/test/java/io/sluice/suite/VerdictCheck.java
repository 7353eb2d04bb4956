/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

final class VerdictCheck {}
