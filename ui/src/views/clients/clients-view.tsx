// The clients of a host: identity, gateway, and amount of traffic.

import { useState } from 'react';
import type { ClientSummary } from '../../../../src/app/inspector/api.ts';
import { Empty } from '../../parts/empty.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { clients, onlyControls, wallTime } from '../../state/inspected.ts';
import { byteSize, clockTime, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

export default function ClientsView() {
  const known = [...useCell(clients).values()];
  const all = known.filter((client) => !onlyControls(client));
  const controlling = known.length - all.length;
  const [search, setSearch] = useState('');
  const wanted = search.toLowerCase();
  const shown = all.filter((client) => textOf(client).toLowerCase().includes(wanted)).reverse();
  const connected = all.filter(({ stateless, closedAtMs }) => !stateless && closedAtMs === undefined).length;
  return (
    <>
      <div className="view-head">
        <h1>Clients</h1>
        <span className="muted">
          {plural(connected, 'connection')} open
          {controlling > 0 && `, ${plural(controlling, 'connection')} that only controlled the host not listed`}
        </span>
        {all.length > 5 && <SearchBox label="Find a client" value={search} onChange={setSearch} />}
      </div>
      <div className="scroll pad">
        {all.length === 0 && (
          <Empty title="No clients yet">
            Clients of the host are shown here: programs that use its socket, and MCP clients over HTTP.
          </Empty>
        )}
        {shown.length > 0 && <ClientTable clients={shown} />}
      </div>
    </>
  );
}

function ClientTable({ clients: shown }: { clients: ClientSummary[] }) {
  return (
    <ScrollRegion className="table-scroll" label="Clients">
      <table className="clients">
        <thead>
          <tr>
            {['client', 'version', 'revision', 'gateway', 'principal', 'state'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            {['requests', 'errors', 'in', 'out'].map((title) => (
              <th key={title} scope="col" className="right">
                {title}
              </th>
            ))}
            <th scope="col">
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((client) => (
            <ClientRow key={client.client} client={client} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function ClientRow({ client }: { client: ClientSummary }) {
  const { version, revision, door, principal, requests, errors, bytesIn, bytesOut } = client;
  return (
    <tr>
      <td>
        <ServerChip name={client.client} />
      </td>
      <td className="cut">{visibleLine(version ?? '—')}</td>
      <td>{visibleLine(revision ?? '—')}</td>
      <td>{visibleLine(door ?? '—')}</td>
      <td className="cut">{visibleLine(principal ?? '—')}</td>
      <td className="nowrap">{stateOf(client)}</td>
      <td className="right">{requests.toLocaleString('en')}</td>
      <td className={errors > 0 ? 'right bad-text' : 'right'}>{errors.toLocaleString('en')}</td>
      <td className="right nowrap">{byteSize(bytesIn)}</td>
      <td className="right nowrap">{byteSize(bytesOut)}</td>
      <td className="right">
        <a href={addressOf('wire', { client: client.client })}>Wire</a>
      </td>
    </tr>
  );
}

/** A stateless client has no connection, so the time of its last request is shown. */
function stateOf({ stateless, closedAtMs, openedAtMs, lastAtMs }: ClientSummary): string {
  if (stateless) return `last request ${clockTime(wallTime(lastAtMs)).slice(0, 8)}`;
  return closedAtMs === undefined
    ? `connected ${clockTime(wallTime(openedAtMs)).slice(0, 8)}`
    : `gone ${clockTime(wallTime(closedAtMs)).slice(0, 8)}`;
}

function textOf({ client, name, version, revision, door, principal }: ClientSummary): string {
  return [client, name, version, revision, door, principal].filter(Boolean).join(' ');
}
