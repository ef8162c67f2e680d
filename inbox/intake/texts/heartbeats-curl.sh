PING=@URL@/v1/heartbeats/@KEY@/backup
curl -fsS -m 10 --retry 5 -o /dev/null "$PING/start?create=1"
sh -c 'echo copied 17 files' > backup.log 2>&1; code=$?
tail -c 10000 backup.log | curl -fsS -m 10 --retry 5 -o /dev/null --data-binary @- "$PING/$code?create=1"
