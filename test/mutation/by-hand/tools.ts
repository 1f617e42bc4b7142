import type { Mutant } from '../mutant.ts';

const SERVER = 'worker-container/tools/tool-server.ts';
const SERVER_TEST = 'test/worker-container/tools/tool-server.test.ts';
const FILES = 'worker-container/tools/attach-file.ts';
const FILES_TEST = 'test/worker-container/tools/attach-file.test.ts';

/** Who may call the tools of an attempt, and which files it may attach. */
export const TOOLS: readonly Mutant[] = [
  {
    name: 'the tools of an attempt need no key',
    file: SERVER,
    find: 'if (!isSame(headers.authorization,',
    replace: 'if (headers.authorization === undefined && !isSame(headers.authorization,',
    test: SERVER_TEST,
  },
  {
    name: 'the tools of an attempt answer under any host name',
    file: SERVER,
    find: 'headers.host !== host || headers.origin',
    replace: 'headers.origin',
    test: SERVER_TEST,
  },
  {
    name: 'the tools of an attempt answer web pages',
    file: SERVER,
    find: 'headers.host !== host || headers.origin !== undefined',
    replace: 'headers.host !== host',
    test: SERVER_TEST,
  },
  {
    name: 'a call continues while its attempt is being ended',
    file: SERVER,
    find: '      closing.abort();\n',
    replace: '',
    test: SERVER_TEST,
  },
  {
    name: 'the tools of an attempt work while its processes are being ended',
    file: 'worker-container/commands/until-ended.ts',
    find: '  await tools?.close();',
    replace: '  void tools?.close();',
    test: 'test/worker-container/commands/until-ended.test.ts',
  },
  {
    name: 'a link is attached',
    file: FILES,
    find: 'sysopen my $from, $file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK',
    replace: 'sysopen my $from, $file, O_RDONLY | O_NONBLOCK',
    test: FILES_TEST,
  },
  {
    name: 'a link on the way to an attached file is followed',
    file: FILES,
    find: 'O_RDONLY | O_NOFOLLOW | O_DIRECTORY or',
    replace: 'O_RDONLY | O_DIRECTORY or',
    test: FILES_TEST,
  },
  {
    name: 'a file outside of the working folder is attached',
    file: FILES,
    find: "if grep { $_ eq '..' } @parts;",
    replace: 'if 0;',
    test: FILES_TEST,
  },
  {
    name: 'what an interrupted copy has left is an attachment',
    file: 'worker-container/attachments/find-attachments.ts',
    find: 'if (DRAFT.test(path)) continue;',
    replace: '',
    test: FILES_TEST,
  },
  {
    name: 'an attachment that has vanished is tried again until the time is over',
    file: 'worker-container/attachments/read-found-file.ts',
    find: 'throw PASSING.includes(error.code) ? error : new UnreadableFileError(error.message);',
    replace: 'throw error;',
    test: 'test/worker-container/attachments/find-attachments.test.ts',
  },
  {
    name: 'attachments behind one that was left out have the content of others',
    file: 'worker-container/attachments/keep-attachments.ts',
    find: '.filter(({ file, place }) => sent.get(file)?.place !== place);',
    replace: '.filter(({ file }) => !sent.has(file));',
    test: 'test/worker-container/attachments/find-attachments.test.ts',
  },
];
