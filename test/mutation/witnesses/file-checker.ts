import { join } from 'node:path';
import ts from 'typescript';

/** What the compiler says of one file, with other text in it: a second each, where a run of the compiler takes five. */
export class FileChecker {
  readonly #root: string;
  readonly #services = new Map<string, ts.LanguageService>();
  readonly #texts = new Map<string, { readonly version: number; readonly text: string | undefined }>();

  constructor(root: string) {
    this.#root = root;
  }

  /** @returns the first error in the file itself; what it breaks in others is not known. */
  errorIn(file: string, text: string): string | undefined {
    const path = join(this.#root, file);
    this.#write(path, text);
    const [error] = this.#serviceOf(file).getSemanticDiagnostics(path);
    this.#write(path, undefined);
    return error && ts.flattenDiagnosticMessageText(error.messageText, ' ').slice(0, 180);
  }

  #write(path: string, text: string | undefined): void {
    this.#texts.set(path, { version: (this.#texts.get(path)?.version ?? 0) + 1, text });
  }

  #serviceOf(file: string): ts.LanguageService {
    const project = /^console\/.*\//.test(file) ? 'console' : '.';
    let service = this.#services.get(project);
    if (service === undefined) {
      service = this.#start(join(this.#root, project, 'tsconfig.json'));
      this.#services.set(project, service);
    }
    return service;
  }

  #start(config: string): ts.LanguageService {
    const onUnRecoverableConfigFileDiagnostic = ({ messageText }: ts.Diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '));
    };
    const { sys } = ts;
    const parsed = ts.getParsedCommandLineOfConfigFile(config, {}, { ...sys, onUnRecoverableConfigFileDiagnostic });
    if (parsed === undefined) throw new Error(`${config} is no configuration of the compiler`);
    // No file of the product imports a test, and there are as many of them as of the others.
    const files = parsed.fileNames.filter((name) => !name.startsWith(join(this.#root, 'test/')));
    const textOf = (path: string) => this.#texts.get(path)?.text ?? sys.readFile(path);
    return ts.createLanguageService({
      ...sys,
      useCaseSensitiveFileNames: () => sys.useCaseSensitiveFileNames,
      getScriptFileNames: () => files,
      getScriptVersion: (path) => String(this.#texts.get(path)?.version ?? 0),
      getScriptSnapshot: (path) => {
        const text = textOf(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCompilationSettings: () => parsed.options,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      readFile: textOf,
    });
  }
}
