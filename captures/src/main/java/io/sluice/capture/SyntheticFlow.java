/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** One open flow of a synthetic trace: its endpoints, its progress, and how it will end. */
class SyntheticFlow {
    /** How a TCP flow ends. */
    enum Ending {
        /** Both sides close. */
        FIN,

        /** One side gives up. */
        RST,

        /** It just stops: the end was lost, or went another way. */
        NONE
    }

    int ipVersion;
    int protocol;
    long clientHigh;
    long clientLow;
    long serverHigh;
    long serverLow;
    int clientPort;
    int serverPort;
    Ending ending = Ending.NONE;

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
