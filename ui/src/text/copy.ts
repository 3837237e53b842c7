// Copies to the clipboard and downloads files; the result is announced.

import { announce } from '../state/announce.ts';

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${what} copied`, 'good');
  } catch {
    announce(`The browser does not allow this page to copy. ${what}: ${text}`, 'bad');
  }
}

export function download(name: string, parts: BlobPart[], type = 'application/x-ndjson'): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
