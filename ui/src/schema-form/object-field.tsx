import { useState } from 'react';
import { visibleLine } from '../text/visible.ts';
import { placeIn } from './check-value.ts';
import { Field, type InputProps } from './fields.tsx';
import { firstValue } from './first-value.ts';
import { JsonField } from './json-field.tsx';
import type { Meaning } from './read-schema.ts';

const MAX_DEPTH = 12;

type Props = InputProps & { meaning: Extract<Meaning, { form: 'object' }> };

export function ObjectField(props: Props) {
  const { meaning, root, depth, id, onChange, required, schema, path } = props;
  const value = (typeof props.value === 'object' && props.value !== null ? props.value : {}) as Record<string, unknown>;
  if (depth > MAX_DEPTH) return <JsonField {...props} />;
  if (depth > 0 && !required && props.value === undefined) {
    return (
      <button type="button" onClick={() => onChange(firstValue(schema, root) ?? {})}>
        Add {props.label}
      </button>
    );
  }
  const put = (name: string, member: unknown) => {
    // The object is built from entries, because a server may name a member `__proto__`.
    const others = Object.entries(value).filter(([other]) => other !== name || member !== undefined);
    const entries = others.map(([other, kept]) => [other, other === name ? member : kept] as const);
    onChange(
      Object.fromEntries(member === undefined || Object.hasOwn(value, name) ? entries : [...entries, [name, member]]),
    );
  };
  const declared = new Set(meaning.members.map(([name]) => name));
  const others = Object.keys(value).filter((name) => !declared.has(name));
  return (
    <>
      {depth === 0 && meaning.members.length + others.length === 0 && <p className="muted">Takes no arguments.</p>}
      {meaning.members.map(([name, member]) => (
        <Field
          key={name}
          name={name}
          path={placeIn(path, name)}
          schema={member}
          root={root}
          depth={depth + 1}
          value={Object.hasOwn(value, name) ? value[name] : undefined}
          required={meaning.required.has(name)}
          onChange={(next) => put(name, next)}
        />
      ))}
      {others.map((name) => (
        <div key={name} className="array-item">
          <Field
            name={name}
            path={placeIn(path, name)}
            schema={meaning.open ?? {}}
            root={root}
            depth={depth + 1}
            value={value[name]}
            required
            onChange={(next) => put(name, next)}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${visibleLine(name)}`}
            onClick={() => put(name, undefined)}
          >
            ✕
          </button>
        </div>
      ))}
      {meaning.open && (depth > 0 || isSaidOpen(schema)) && (
        <NewMember id={id} onAdd={(name) => put(name, firstValue(meaning.open!, root) ?? '')} />
      )}
      {depth > 0 && !required && (
        <button type="button" className="quiet" onClick={() => onChange(undefined)}>
          Remove {props.label}
        </button>
      )}
    </>
  );
}

/** A tool with an empty list of members takes no arguments, although JSON Schema would allow any. */
function isSaidOpen({ additionalProperties }: Record<string, unknown>): boolean {
  return additionalProperties !== undefined && additionalProperties !== false;
}

function NewMember({ id, onAdd }: { id: string; onAdd(name: string): void }) {
  const [name, setName] = useState('');
  const add = () => {
    if (name === '') return;
    onAdd(name);
    setName('');
  };
  return (
    <div className="array-item">
      <input
        id={`${id}new`}
        type="text"
        placeholder="name of a member"
        aria-label="Name of a new member"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" onClick={add}>
        Add
      </button>
    </div>
  );
}
