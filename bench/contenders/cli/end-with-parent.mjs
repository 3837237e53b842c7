// Preloaded into a program that runs beside the samples: the program exits when its parent exits, for any reason. The
// fourth entry of `stdio` is a pipe that is never written to.

import { Socket } from 'node:net';

const parent = new Socket({ fd: 3 });
parent.on('close', () => process.kill(process.pid, 'SIGTERM'));
parent.resume();
parent.unref();
