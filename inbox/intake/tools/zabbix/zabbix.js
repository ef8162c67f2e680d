// Media type Webhook. Parameters: eventId {EVENT.ID}, value {EVENT.VALUE}, update {EVENT.UPDATE.STATUS},
// nseverity {EVENT.NSEVERITY}, name {EVENT.NAME}, opdata {EVENT.OPDATA}, host {HOST.NAME}, triggerId {TRIGGER.ID},
// tags {EVENT.TAGSJSON}, url {$ZABBIX.URL}, ack {EVENT.ACK.STATUS}, action {EVENT.UPDATE.ACTION}
var sent = JSON.parse(value);
try { sent.tags = JSON.parse(sent.tags); } catch (error) { sent.tags = []; }
var request = new HttpRequest();
request.addHeader('Content-Type: application/json');
request.addHeader('Authorization: Bearer @KEY@');
var answer = request.post('@URL@/v1/hooks/zabbix', JSON.stringify(sent));
if (request.getStatus() !== 202) { throw request.getStatus() + ' ' + answer; }
return 'OK';
