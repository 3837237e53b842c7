// Preloaded into a server: it exits when its stdin closes, or when the process that started it exits.

process.stdin.on('close', () => process.exit(0)).resume();
