// What a server says about itself: name and version, capabilities, instructions; and its log level. Loaded when it is opened.

import { MarkdownText } from '../../markdown/markdown-text.tsx';
import { looksLikeMarkdown } from '../../markdown/read-blocks.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { useCell } from '../../state/cell.ts';
import { loadOffer, offers } from '../../state/offers.ts';
import { plural } from '../../text/amounts.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { LogLevelSelect } from '../logs/log-level-select.tsx';
import { Fact } from './fact.tsx';

export function ServerAbout({ name, canSet }: { name: string; canSet: boolean }) {
  const known = useCell(offers)[name];
  return (
    <details
      className="about-server"
      onToggle={(event) => {
        if (event.currentTarget.open) void loadOffer(name);
      }}
    >
      <summary>Capabilities and instructions</summary>
      {known?.state === 'loading' && <p className="muted">Loading…</p>}
      {known?.state === 'failed' && <p className="note bad">{visible(known.message)}</p>}
      {known?.state === 'known' && <About name={name} canSet={canSet} offer={known.offer} />}
    </details>
  );
}

type Known = Extract<NonNullable<ReturnType<typeof offers.read>[string]>, { state: 'known' }>['offer'];

function About({ name, canSet, offer }: { name: string; canSet: boolean; offer: Known }) {
  const { info, capabilities, instructions, revision, tools, resources, resourceTemplates, prompts } = offer;
  const offered = [
    plural(tools.length, 'tool'),
    plural(resources.length, 'resource'),
    plural(resourceTemplates.length, 'template'),
    plural(prompts.length, 'prompt'),
  ];
  return (
    <>
      <dl className="facts">
        {info && <Fact name="name" value={visibleLine(info.title ?? info.name)} />}
        {info && <Fact name="version" value={visibleLine(info.version)} />}
        <Fact name="revision" value={visibleLine(revision)} />
      </dl>
      <p>Offers {offered.join(', ')}.</p>
      {info?.description && <p className="about">{visible(info.description)}</p>}
      {info?.websiteUrl && <p className="mono">{visibleLine(info.websiteUrl)}</p>}
      {offer.recorded && <p className="muted">From the recorded answers of the server.</p>}
      {capabilities ? (
        <JsonTree value={capabilities} label={`Capabilities of ${visibleLine(name)}`} />
      ) : (
        <p className="muted">The answer with its capabilities is not stored.</p>
      )}
      {instructions &&
        (looksLikeMarkdown(instructions) ? (
          <MarkdownText text={instructions} label="Instructions" />
        ) : (
          <p className="about">{visible(instructions)}</p>
        ))}
      {canSet && capabilities?.logging !== undefined && <LogLevelSelect server={name} />}
    </>
  );
}
