import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

/** A button that copies a text. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <CopyToClipboard
      variant="icon"
      textToCopy={text}
      copyButtonAriaLabel={`Copy ${what}`}
      copySuccessText="Copied"
      copyErrorText="Copy failed"
    />
  );
}
