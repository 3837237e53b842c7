// The name of a server, with a colour of its own that is the same everywhere.

import { visibleLine } from '../text/visible.ts';
import { serverColour } from './server-colour.ts';

export function ServerChip({ name }: { name: string }) {
  return (
    <span className="server-chip" title={visibleLine(name)}>
      <span className="server-dot" aria-hidden="true" style={{ background: serverColour(name) }} />
      <span className="cut">{visibleLine(name)}</span>
    </span>
  );
}
