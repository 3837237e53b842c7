// Loaded before a program that runs beside the samples: it ends with its parent, however that one ends. The fourth entry of
// `stdio` is a pipe that nothing writes to.

import { Socket } from 'node:net';

const parent = new Socket({ fd: 3 });
parent.on('close', () => process.kill(process.pid, 'SIGTERM'));
parent.resume();
parent.unref();
