/* SPDX-License-Identifier: Apache-2.0 */
/** Says in a job's state what it was made from, and refuses the state of something else. */
package io.sluice.kafka.identity;
