"""The tests of the import oncall."""

SEED = (
    b'{"/api/v1/integrations/":{"results":[{"id":"1","name":"A","type":"webhook"}]},"/api/v1/routes/":{"results":'
    b'[{"id":"2","integration_id":"1","position":0,"routing_type":"regex","routing_regex":"\\"team\\": \\"a\\""}]}}'
)
"""A set-up from which the fuzzer begins."""
