curl -fsS @URL@/v1/compat/cloudevents \
  -H "Authorization: Bearer @KEY@" \
  -H "Content-Type: application/cloudevents+json" \
  -d '{"specversion": "1.0", "id": "'"$(date +%s)"'", "source": "/backup/nas1", "type": "org.example.job.failed",
       "severity": "error", "data": {"title": "The nightly backup failed"}}'
