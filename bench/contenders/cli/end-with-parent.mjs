// Loaded before a program that runs beside the samples: it ends with whoever started it, however that one ends.

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel.unref();
