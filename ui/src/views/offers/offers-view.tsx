// Tools, resources or prompts of the servers: the list, and the form, result and history of the selected one.

import { useState } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { addressOf, replaceParams, useRoute } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { canAct, servers, source } from '../../state/inspected.ts';
import { loadOffer, useOffers } from '../../state/offers.ts';
import { visibleLine } from '../../text/visible.ts';
import { CallPane } from './call-pane.tsx';
import { OfferList } from './offer-list.tsx';
import { matches, type OfferKind, offeredBy, unlisted } from './offered.ts';

const titles = { tools: 'Tools', resources: 'Resources', prompts: 'Prompts' } as const;

export default function OffersView({ kind }: { kind: OfferKind }) {
  const all = useCell(servers);
  const known = useOffers();
  const acts = useCell(canAct);
  const looked = useCell(source);
  const { params } = useRoute();
  const [search, setSearch] = useState('');
  const server = params.server ?? '';
  // With a name, `server` is the server of the selected offer, and `list` the server whose offers are listed.
  const listed = params.name === undefined ? server : (params.list ?? '');
  const offered = all.flatMap(({ name }) => offeredBy(name, known[name], kind));
  const shown = offered.filter((one) => (listed === '' || one.server === listed) && matches(one, search));
  const isKnown = all.some(({ name }) => name === server);
  const chosen =
    offered.find((one) => one.name === params.name && one.server === server) ??
    (kind === 'resources' && isKnown && params.name ? unlisted(server, params.name) : undefined);
  const asked = all.filter(({ name }) => listed === '' || name === listed);

  if (looked && !acts) {
    return (
      <>
        <div className="view-head">
          <h1>{titles[kind]}</h1>
        </div>
        <Empty title={`A ${looked.kind} can only be watched`}>
          Past calls are on the <a href={addressOf('wire', { method: 'tools/call' })}>wire</a>. To call tools, run the
          servers with <code>standpipe up</code> or <code>standpipe inspect -- command</code>.
        </Empty>
      </>
    );
  }
  return (
    <>
      <div className="view-head">
        <h1>{titles[kind]}</h1>
        <SearchBox label={`Find in ${kind}`} value={search} onChange={setSearch} />
        <select aria-label="Server" value={listed} onChange={(event) => replaceParams({ server: event.target.value })}>
          <option value="">all servers</option>
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => asked.forEach(({ name }) => void loadOffer(name))}>
          Reload
        </button>
      </div>
      <div className={chosen ? 'offers chosen' : 'offers'}>
        <OfferList kind={kind} offered={shown} chosen={chosen} known={known} asked={asked} listed={listed} />
        {chosen ? (
          <CallPane key={JSON.stringify([chosen.server, chosen.name])} offered={chosen} givenArgs={params.args} />
        ) : (
          <div className="call-pane">
            <Empty title={`Choose one of the ${kind}`}>Its form, results and call history are shown here.</Empty>
          </div>
        )}
      </div>
    </>
  );
}
