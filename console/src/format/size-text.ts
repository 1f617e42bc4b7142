const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes as text: `512 MiB`. */
export function sizeText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${UNITS[step]}`;
}
