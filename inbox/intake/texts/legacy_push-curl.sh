curl @URL@/message \
  -H "X-Legacy-Key: @KEY@" \
  -F "title=Storage" -F "message=disk 91 % on nas" -F "priority=8"
