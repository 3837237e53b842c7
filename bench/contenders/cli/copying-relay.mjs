// Baseline for `standpipe connect`: copies bytes between its stdio and the socket of a host without parsing them.

import { connect } from 'node:net';

const socket = connect(process.argv[2]);
process.stdin.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end());
socket.on('data', (chunk) => process.stdout.write(chunk)).on('close', () => process.exit());
