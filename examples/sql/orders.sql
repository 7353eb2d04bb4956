-- Each order once, known for a day. With a distribution of Flink: bin/sql-client.sh -f orders.sql
SET 'sql-client.execution.result-mode' = 'tableau';

-- Which orders are known is kept in a filter, at this probability that a new one is dropped.
-- Without these three lines it is exact, in whatever state backend the cluster has.
SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
SET 'execution.checkpointing.incremental' = 'true';
SET 'state.backend.cascade.false-positive-probability' = '1e-6';

LOAD MODULE sluice;

-- Put your own table here.
CREATE TEMPORARY VIEW orders AS
SELECT * FROM (VALUES ('a', 10), ('b', 20), ('a', 10), ('c', 30), ('b', 20)) AS t (order_id, amount);

SELECT * FROM DEDUPLICATE(
  input => TABLE orders PARTITION BY order_id,
  state_ttl => INTERVAL '1' DAY);
