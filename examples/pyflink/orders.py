# SPDX-License-Identifier: Apache-2.0
"""Each order once, known for a day.

    python orders.py sluice-flink-2.3-VERSION.jar
"""

import sys
from pathlib import Path

CONFIGURATION = {
    # Which orders are known is kept in a filter, at this probability that a new one is dropped.
    # Without these three lines it is exact, in whatever state backend the cluster has.
    "state.backend.type": "io.sluice.state.CascadeStateBackendFactory",
    "execution.checkpointing.incremental": "true",
    "state.backend.cascade.false-positive-probability": "1e-6",
    "execution.checkpointing.interval": "10 s",
}

# Put your own table here.
ORDERS = """
CREATE TEMPORARY VIEW orders AS
SELECT * FROM (VALUES ('a', 10), ('b', 20), ('a', 10), ('c', 30), ('b', 20)) AS t (order_id, amount)
"""

ONCE = """
SELECT * FROM DEDUPLICATE(
  input => TABLE orders PARTITION BY order_id,
  state_ttl => INTERVAL '1' DAY)
"""


def main(jar):
    from pyflink.common import Configuration
    from pyflink.table import EnvironmentSettings, TableEnvironment

    configuration = Configuration()
    configuration.set_string("pipeline.jars", Path(jar).resolve(strict=True).as_uri())
    for key, value in CONFIGURATION.items():
        configuration.set_string(key, value)
    settings = (
        EnvironmentSettings.new_instance()
        .in_streaming_mode()
        .with_configuration(configuration)
        .build()
    )
    tables = TableEnvironment.create(settings)
    tables.execute_sql("LOAD MODULE sluice")
    tables.execute_sql(ORDERS)
    tables.execute_sql(ONCE).print()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
