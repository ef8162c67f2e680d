"""What every process uses: logs, metrics, wake-ups through Redis, sealing, child processes, gevent."""
