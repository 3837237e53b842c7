// Imported by a server: it ends when the process that started it closes its input, or is gone.

process.stdin.on('close', () => process.exit(0)).resume();
