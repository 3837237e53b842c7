// The name of a server or client with its colour, which is the same in all views. Clients have a round mark.

import { useCell } from '../state/cell.ts';
import { clients } from '../state/inspected.ts';
import { labelOf } from '../text/client-label.ts';
import { visibleLine } from '../text/visible.ts';
import { clientColour, serverColour } from './server-colour.ts';

export function ServerChip({ name }: { name: string }) {
  const client = useCell(clients).get(name);
  const label = visibleLine(client ? labelOf(name, client) : name);
  return (
    <span className="server-chip" title={client ? `client ${label}` : label}>
      <span
        className={client ? 'server-dot client-dot' : 'server-dot'}
        aria-hidden="true"
        style={{ background: client ? clientColour(name) : serverColour(name) }}
      />
      <span className="cut">{label}</span>
    </span>
  );
}
