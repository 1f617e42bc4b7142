import ExpandableSection from '@cloudscape-design/components/expandable-section';
import { useState } from 'react';
import { ApiText } from './api-text.tsx';
import { limitsOf, type OpenApi, type Schema, schemaOf, typeText } from './open-api.ts';

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/** Fields with types, limits and descriptions. Objects in them are closed: a schema may contain itself. */
export function Fields({ document, fields }: { document: OpenApi; fields: readonly Field[] }) {
  return (
    <dl className="api-fields">
      {fields.map(({ name, schema, isRequired, description }) => {
        const { enum: values, ...own } = schemaOf(document, schema);
        const limits = limitsOf(own);
        const text = description ?? own.description;
        return (
          <div key={name}>
            <dt>
              <code className="api-name">{name}</code>
              <span className="api-type">
                {typeText(document, schema)}
                {isRequired && <strong>, required</strong>}
              </span>
            </dt>
            <dd>
              {text !== undefined && <ApiText text={text} />}
              {values && <Values values={values} />}
              {limits.length > 0 && <p className="api-text api-limits">Allowed: {limits.join(', ')}</p>}
              <Inner document={document} name={name} schema={own} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A body: the fields of an object, else its type. */
export function SchemaFields({ document, schema }: { document: OpenApi; schema: Schema }) {
  const own = schemaOf(document, schema);
  const fields = fieldsOf(own);
  if (fields.length > 0) return <Fields document={document} fields={fields} />;
  return (
    <>
      <p className="api-text api-type">{typeText(document, own)}</p>
      {own.description !== undefined && <ApiText text={own.description} />}
      <Inner document={document} name="the body" schema={own} />
    </>
  );
}

function Values({ values }: { values: readonly unknown[] }) {
  const shown = values.filter((value) => value !== null).map(String);
  return (
    <p className="api-text">
      {shown.length === 1 ? 'Only ' : 'One of '}
      {shown.map((value) => (
        <code key={value} className="api-value">
          {value}
        </code>
      ))}
    </p>
  );
}

/** The objects within a value: its own fields, those of its items, or of each variant. */
function Inner({ document, name, schema }: { document: OpenApi; name: string; schema: Schema }) {
  return objectsIn(document, schema).map((inner, at, all) => {
    const title = all.length === 1 ? `Fields of ${name}` : `Fields of ${name}, variant ${at + 1}`;
    return <Folded key={title} document={document} title={title} schema={inner} />;
  });
}

function Folded({ document, title, schema }: { document: OpenApi; title: string; schema: Schema }) {
  const [open, setOpen] = useState(false);
  return (
    <ExpandableSection headerText={title} expanded={open} onChange={({ detail }) => setOpen(detail.expanded)}>
      {open && <Fields document={document} fields={fieldsOf(schema)} />}
    </ExpandableSection>
  );
}

function objectsIn(document: OpenApi, schema: Schema): readonly Schema[] {
  const own = schemaOf(document, schema);
  if (fieldsOf(own).length > 0) return [own];
  const { items, additionalProperties, anyOf = [], oneOf = [] } = own;
  const within = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...(items ? [items] : []), ...within, ...anyOf, ...oneOf].flatMap((one) => objectsIn(document, one));
}

function fieldsOf({ properties = {}, required = [] }: Schema): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}
