# The message arrives at @URL@/message
apprise -t "Storage" -b "disk 91 % on nas" "gotify@S@://@HOST@@PATH@/@KEY@/?priority=high"
