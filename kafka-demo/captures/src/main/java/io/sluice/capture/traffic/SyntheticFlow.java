/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/** An open flow of a synthetic capture: its ends, its progress, and how it will end. */
class SyntheticFlow {
    int ipVersion;
    int protocol;
    long clientHigh;
    long clientLow;
    long serverHigh;
    long serverLow;
    int clientPort;
    int serverPort;
    Fate fate = Fate.STOPPED;

    /** The flags of a flow that is {@link Fate#ILLEGAL}. */
    int illegalFlags;

    /** Packets of the whole flow; the capture may end before. */
    long packets;

    /** Packets of the flow so far. A flow that began before the capture did starts above 0. */
    long sent;

    int clientSequence;
    int serverSequence;
    int clientIpId;
    int serverIpId;

    boolean isDone() {
        return sent >= packets;
    }
}
