/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/** Begins flows at the times of its arrivals. */
final class TrafficSource {
    /** Makes the flow that begins now. */
    @FunctionalInterface
    interface Maker {
        /** Fills in everything of {@code flow} except its number and its time. */
        void make(TrafficFlow flow);
    }

    private final Arrivals arrivals;
    private final Maker maker;

    TrafficSource(Arrivals arrivals, Maker maker) {
        this.arrivals = arrivals;
        this.maker = maker;
    }

    /** When the next flow begins; {@link Long#MAX_VALUE} if there is none. */
    long peek() {
        return arrivals.peek();
    }

    /** Turns {@code flow} into the next one. */
    void begin(TrafficFlow flow, long number) {
        flow.reset(number, arrivals.peek());
        arrivals.next();
        maker.make(flow);
    }
}
