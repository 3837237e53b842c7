// Text with the colours that a program wrote for a terminal.

import { colouredParts, visible } from '../text/visible.ts';
import { ScrollRegion } from './scroll-region.tsx';

export function Ansi({ text }: { text: string }) {
  return colouredParts(text).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
    <span key={at} className={part.style || undefined}>
      {visible(part.text)}
    </span>
  ));
}

export function AnsiText({ text, label }: { text: string; label: string }) {
  return (
    <ScrollRegion className="text wrap" label={label}>
      <Ansi text={text} />
    </ScrollRegion>
  );
}
