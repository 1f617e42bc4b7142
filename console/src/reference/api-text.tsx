import { Fragment } from 'react';

/** A text of the API's document: `code` in backticks, and a paragraph for each line that ends a sentence. */
export function ApiText({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[.:])\n/).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <p key={at} className="api-text">
          <WithCode text={line} />
        </p>
      ))}
    </>
  );
}

function WithCode({ text }: { text: string }) {
  // Every second part is within backticks.
  return text.split('`').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
    <Fragment key={at}>{at % 2 === 1 ? <code>{part}</code> : part}</Fragment>
  ));
}
