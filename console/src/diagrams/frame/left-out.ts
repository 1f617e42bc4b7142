/**
 * In place of ELK's layout and of KaTeX, which would double the script of the frame. A layout other than the default
 * can't be chosen there, and a formula is shown as its text.
 */
// biome-ignore lint/style/noDefaultExport: the packages that it stands for have one
export default {
  renderToString: (formula: string): string => formula.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
};
