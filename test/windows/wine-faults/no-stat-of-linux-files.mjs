// fstat fails with EINVAL for a stream that was opened by Linux; scenarios therefore give every program pipes.
import { fstatSync } from 'node:fs';

try {
  fstatSync(1);
} catch {
  process.exit(1);
}
