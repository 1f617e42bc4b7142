import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { notify } from '../../feedback/notices.tsx';
import type { LogStream } from '../output/read-logs.ts';
import { downloadLog } from './download-log.ts';

/** Downloads the log of an attempt as a file, with its progress if that takes long. */
export function DownloadButton({ job, stream }: { job: { id: string; attempt: number }; stream: LogStream }) {
  const [share, setShare] = useState<number>();
  const download = async () => {
    setShare(0);
    try {
      await downloadLog(job, stream, (share) => setShare(Math.floor(share * 100)));
    } catch (error) {
      notify({ type: 'error', header: 'The log could not be downloaded', content: (error as Error).message });
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Button iconName="download" loading={share !== undefined} onClick={() => void download()}>
      {share === undefined || share === 0 ? 'Download' : `Download, ${share} %`}
    </Button>
  );
}
