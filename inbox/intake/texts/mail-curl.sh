printf 'From: nas@example.org\nSubject: Volume 91 %% full on nas\n\n/data has 9 %% left.\n' |
  curl --crlf smtp://@MAIL@:@MAIL_PORT@ --mail-from nas@example.org \
    --mail-rcpt @KEY@@@MAIL@ --upload-file -
