"""Used by every process: logs, metrics, wake-ups through Redis, sealing, child processes, gevent."""
