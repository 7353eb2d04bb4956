-- Attempts to connect. One has failed if it was refused (REJ), had no answer (S0), or did not answer the answer (S1): in S1 is
-- also a connection that is open, but that times out only after five minutes. A flow that no packet ended has no
-- addresses, so they come from its SYN.
CREATE TEMPORARY VIEW attempts AS
SELECT syns.ts, syns.flow, source, target, port, state,
  COALESCE(state IN ('S0', 'REJ') OR (state = 'S1' AND reason = 'TIMED_OUT'), FALSE) AS failed
FROM syns LEFT JOIN flows
  ON syns.flow = flows.flow AND flows.ts BETWEEN syns.ts AND syns.ts + INTERVAL '2' MINUTE;

CREATE TEMPORARY VIEW minutes AS
SELECT * FROM TABLE(TUMBLE(TABLE attempts, DESCRIPTOR(ts), INTERVAL '1' MINUTE));

-- What there are fifty of in a minute, if three attempts in four have failed.
SELECT 'syn-flood' AS alert, target AS host, window_end, COUNT(DISTINCT flow) FILTER (WHERE failed) AS found
FROM minutes
WHERE state IS NULL OR state <> 'REJ'
GROUP BY window_start, window_end, target, port
HAVING COUNT(DISTINCT flow) FILTER (WHERE failed) >= 50 AND COUNT(*) FILTER (WHERE failed) > 0.75 * COUNT(*)
UNION ALL
SELECT 'scan-hosts', source, window_end, COUNT(DISTINCT target) FILTER (WHERE failed)
FROM minutes
GROUP BY window_start, window_end, source, port
HAVING COUNT(DISTINCT target) FILTER (WHERE failed) >= 50 AND COUNT(*) FILTER (WHERE failed) > 0.75 * COUNT(*)
UNION ALL
SELECT 'scan-ports', source, window_end, COUNT(DISTINCT port) FILTER (WHERE failed)
FROM minutes
GROUP BY window_start, window_end, source, target
HAVING COUNT(DISTINCT port) FILTER (WHERE failed) >= 50 AND COUNT(*) FILTER (WHERE failed) > 0.75 * COUNT(*);
