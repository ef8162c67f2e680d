"""The tests of the import opsgenie."""

SEED = (
    b'{"/v2/integrations":{"data":[{"id":"1","name":"Zabbix","type":"Zabbix","enabled":true}]},'
    b'"/v2/heartbeats":{"data":{"heartbeats":[{"name":"Job","interval":5,"intervalUnit":"minutes"}]}}}'
)
"""A set-up from which the fuzzer begins."""
