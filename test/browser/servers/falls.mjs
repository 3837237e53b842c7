// A server that crashes shortly after each start.

process.stderr.write('falls: cannot open /etc/kitchen.conf: no such file\n');
setTimeout(() => process.exit(1), 50);
