// Falls shortly after its start, every time.

process.stderr.write('falls: cannot open /etc/kitchen.conf: no such file\n');
setTimeout(() => process.exit(1), 50);
