import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

/** Copies a text that is shown nearby. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <CopyToClipboard
      variant="icon"
      textToCopy={text}
      copyButtonAriaLabel={`Copy ${what}`}
      copySuccessText="Copied"
      copyErrorText="Could not be copied"
    />
  );
}
